"""Time to cost plans of 1,000 and 10,000 resources, from the parsed file to the totals.

The bars: 10,000 resources in at most 0.5 s, and in at most 11 times what 1,000 take, so that time grows with the number
of resources and no faster.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from dataclasses import dataclass
from typing import Any

from benchmarks.bars import RUNS, Bar, report
from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.render import as_table
from gpucluster.program.readers.files import read_text

SMALL, LARGE = 1_000, 10_000


def _step(type_: str, name: str, parent: str = "", **more: Any) -> dict[str, Any]:
    above = f"{parent.split('::')[2]}$" if parent else ""
    urn = f"urn:pulumi:bench::bench::{above}{type_}::{name}"
    record = {"urn": urn, "type": type_, "custom": not type_.startswith("bench:"), "parent": parent, **more}
    return {"op": "create", "urn": urn, "newState": record}


def _pool(number: int) -> list[dict[str, Any]]:
    """Ten resources: a component with a launch template, nodes, a Karpenter pool and its class, a volume, free ones."""
    component = _step("bench:index:Pool", f"pool-{number}")
    above = component["urn"]
    disks = [{"ebs": {"volumeSize": 500, "volumeType": "gp3"}}]
    template = _step(
        "aws:ec2/launchTemplate:LaunchTemplate",
        f"template-{number}",
        above,
        inputs={"instanceType": "p5.48xlarge", "blockDeviceMappings": disks},
    )
    nodes = _step(
        "aws:eks/nodeGroup:NodeGroup",
        f"nodes-{number}",
        above,
        inputs={"scalingConfig": {"desiredSize": 5}, "launchTemplate": {"id": "lt"}},
        propertyDependencies={"launchTemplate": [template["urn"]]},
    )
    requirements = [
        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]},
    ]
    pool = _step(
        "kubernetes:karpenter.sh/v1:NodePool",
        f"elastic-{number}",
        above,
        inputs={
            "spec": {
                "limits": {"nvidia.com/gpu": 8},
                "template": {"spec": {"requirements": requirements, "nodeClassRef": {"name": f"class-{number}"}}},
            }
        },
    )
    rest = [
        _step("aws:ebs/volume:Volume", f"volume-{number}", above, inputs={"type": "gp3", "size": 100}),
        _step("aws:iam/role:Role", f"role-{number}", above),
        _step("aws:ec2/subnet:Subnet", f"subnet-{number}", above),
        _step("aws:ec2/placementGroup:PlacementGroup", f"group-{number}", above),
        _step("aws:ec2/eip:Eip", f"address-{number}", above),
    ]
    return [component, template, nodes, pool, _node_class(number, above), *rest]


def _node_class(number: int, parent: str) -> dict[str, Any]:
    spec = {"blockDeviceMappings": [{"ebs": {"volumeSize": "200Gi"}}]}
    inputs = {"metadata": {"name": f"class-{number}"}, "spec": spec}
    return _step("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", f"class-{number}", parent, inputs=inputs)


def _plan(resources: int) -> str:
    steps = [step for number in range(resources // 10) for step in _pool(number)]
    return json.dumps({"steps": steps, "config": {"aws:region": "us-east-1"}})


def state(resources: int) -> str:
    """The same resources as `pulumi stack export` writes them."""
    steps = [step for number in range(resources // 10) for step in _pool(number)]
    return json.dumps({"version": 3, "deployment": {"resources": [step["newState"] for step in steps]}})


@dataclass(frozen=True)
class _Times:
    """Seconds for reading the file, costing it, writing the table; of this process alone."""

    read: float
    cost: float
    table: float


def _measure(text: str) -> _Times:
    """One round; what an earlier round left is collected before, so that rounds do not slow each other."""
    gc.collect()
    start = time.process_time()
    resources = read_text(text, "bench")
    read = time.process_time() - start
    gc.collect()
    gc.freeze()  # the collector would otherwise walk the plan itself again and again, which is not costing
    start = time.process_time()
    found = estimate(resources, PriceBook())
    total = found.monthly.expected
    costed = time.process_time()
    table = as_table(found)
    written = time.process_time()
    gc.unfreeze()
    assert total > 0
    assert table
    return _Times(read, costed - start, written - costed)


def bars() -> list[Bar]:
    """Medians of interleaved rounds."""
    texts = {size: _plan(size) for size in (SMALL, LARGE)}
    rounds = [{size: _measure(text) for size, text in texts.items()} for _ in range(RUNS)]
    for size in texts:
        read, cost, table = (
            statistics.median(getattr(one[size], part) for one in rounds) for part in ("read", "cost", "table")
        )
        print(f"{size:>6,} resources: read {read:.3f} s, cost {cost:.3f} s, table {table:.3f} s")
    return [
        Bar(f"costing {LARGE:,} resources", statistics.median(one[LARGE].cost for one in rounds), 0.5, "s"),
        Bar(
            f"costing {LARGE:,} / {SMALL:,} resources",
            statistics.median(one[LARGE].cost / one[SMALL].cost for one in rounds),
            11,
        ),
    ]


if __name__ == "__main__":
    sys.exit(report(bars()))
