"""Time to read, cost and write plans of 1,000 and 10,000 resources, in every format of `gpucluster cost report`.

The bars: 10,000 resources from text to text in at most 0.5 s, as a page in 3 s, as a table in 2 s, and in at most 11
times the time of 1,000, so that time grows linearly with the number of resources. Seconds of this process only.
"""

from __future__ import annotations

import gc
import itertools
import json
import statistics
import sys
import time
from typing import Any

from gpucluster.core.documents.document import Document
from gpucluster.core.documents.formats import written
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.estimate.labels import group_by, labels_of
from gpucluster.cost.purchasing import options_of
from tools.benchmarks.harness import RUNS, Bar, report

SMALL, LARGE = 1_000, 10_000
_BARS = {"table": 2.0, "json": 0.5, "csv": 0.5, "markdown": 0.5, "html": 3.0}
"""Seconds for reading, costing and writing."""


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


def _document(found: Estimate, resources: Resources, form: str) -> Document:
    """A page has labels and purchase options too."""
    if form != "html":
        return report_document(found, "bench", resources.stack)
    groupings = [group_by(found, resources, label) for label in labels_of(found, resources)]
    return report_document(found, "bench", resources.stack, groupings, options_of(resources, PriceBook()))


def _measure(text: str) -> dict[str, float]:
    """Seconds of each step of one round; garbage of earlier rounds is collected before, so that rounds do not slow
    each other.
    """
    gc.collect()
    laps = [("", time.process_time())]
    resources = read_text(text, "bench")
    laps.append(("read", time.process_time()))
    gc.collect()
    gc.freeze()  # otherwise the collector would scan the plan itself repeatedly, which is not costing
    laps.append(("", time.process_time()))
    found = estimate(resources, PriceBook())
    assert found.monthly.expected > 0
    laps.append(("cost", time.process_time()))
    for form in _BARS:
        assert written(_document(found, resources, form), form)
        laps.append((form, time.process_time()))
    gc.unfreeze()
    return {name: after - before for (_, before), (name, after) in itertools.pairwise(laps) if name}


def bars() -> list[Bar]:
    """Medians of interleaved rounds."""
    texts = {size: _plan(size) for size in (SMALL, LARGE)}
    rounds = [{size: _measure(text) for size, text in texts.items()} for _ in range(RUNS)]
    steps = {
        size: {step: statistics.median(one[size][step] for one in rounds) for step in rounds[0][size]} for size in texts
    }
    for size, seconds in steps.items():
        print(f"{size:>6,} resources: {', '.join(f'{step} {second:.3f} s' for step, second in seconds.items())}")
    before, after = ({form: found["read"] + found["cost"] + found[form] for form in _BARS} for found in steps.values())
    return [
        *(
            Bar(f"{LARGE:,} resources read, costed and written as {form}", after[form], _BARS[form], "s")
            for form in _BARS
        ),
        *(
            Bar(f"the same as {form}, {LARGE:,} / {SMALL:,} resources", after[form] / before[form], 11)
            for form in _BARS
        ),
    ]


if __name__ == "__main__":
    sys.exit(report(bars()))
