"""Time to cost plans of 1,000 and 10,000 resources, from the parsed file to the totals.

`python benchmarks/cost_plan.py`. The bars: 10,000 resources in at most 0.5 s, and in at most 11 times what 1,000 take,
so that time grows with the number of resources and no faster.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from dataclasses import dataclass
from typing import Any

from cost import PriceBook, estimate
from cost.render import as_table
from cost.sources import read_text

SMALL, LARGE, ROUNDS = 1_000, 10_000, 7
MOST_SECONDS, MOST_RATIO = 0.5, 11.0


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


@dataclass
class _Times:
    """Seconds at best for reading the file, costing it, writing the table; of this process, not of others beside it."""

    read: float = float("inf")
    cost: float = float("inf")
    table: float = float("inf")


def _measure(text: str, times: _Times) -> None:
    """One round; what an earlier round left is collected before, so that rounds do not slow each other."""
    gc.collect()
    start = time.process_time()
    resources = read_text(text, "bench")
    times.read = min(times.read, time.process_time() - start)
    gc.collect()
    gc.freeze()  # the collector would otherwise walk the plan itself again and again, which is not costing
    start = time.process_time()
    found = estimate(resources, PriceBook())
    total = found.monthly.expected
    times.cost = min(times.cost, time.process_time() - start)
    start = time.process_time()
    table = as_table(found)
    times.table = min(times.table, time.process_time() - start)
    gc.unfreeze()
    assert total > 0
    assert table


def main() -> int:
    """Print the times; 1 when a bar is missed."""
    texts, small, large = {size: _plan(size) for size in (SMALL, LARGE)}, _Times(), _Times()
    for _ in range(ROUNDS):
        _measure(texts[SMALL], small)
        _measure(texts[LARGE], large)
    print(f"{'resources':>10} {'read s':>8} {'cost s':>8} {'table s':>8}")
    for number, times in ((SMALL, small), (LARGE, large)):
        print(f"{number:>10,} {times.read:>8.3f} {times.cost:>8.3f} {times.table:>8.3f}")
    ratio = large.cost / small.cost
    fine = large.cost <= MOST_SECONDS and ratio <= MOST_RATIO
    print(f"costing {LARGE:,}: {large.cost:.3f} s (bar {MOST_SECONDS}), {ratio:.1f} x {SMALL:,} (bar {MOST_RATIO})")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
