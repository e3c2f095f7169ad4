"""Small programs before and after a change, as evidence, and what is judged of them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from gpucluster.cost.prices import PriceBook
from gpucluster.operate.pull_request.evidence import Evidence, StackEvidence
from gpucluster.operate.pull_request.judge import Judge
from gpucluster.operate.pull_request.judgement import Judgement
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.settings import Settings
from gpucluster.policies.packs import TRAINING

BASE, HEAD = "b" * 40, "a" * 40
TODAY = datetime.date(2026, 11, 1)
CLUSTER = "example:index:Cluster"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
NODES = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
PROVIDER = "urn:pulumi:{}::shop::pulumi:providers:aws::default_7_51_1"
LABELS = {"team": "research"}

RULES = ("budget", "exemptions-valid", "no-loss-of-shared-storage", "not-known-yet", "required-labels")
PACK = Pack(
    name="training",
    description="Some rules of the training pack, so that a new one there changes nothing here",
    rules=tuple(rule for rule in TRAINING.rules if rule.name in RULES),
    mandatory=TRAINING.mandatory,
)

Resources = Mapping[str, Mapping[str, Any]]
"""Name -> `type` and inputs."""

TRIAL: Resources = {
    "trial": {
        "type": CLUSTER,
        "requiredLabels": LABELS,
        "budget": {"monthly": "10000", "onExceed": "fail"},
    },
    "shared": {
        "type": LUSTRE,
        "deploymentType": "PERSISTENT_2",
        "storageType": "SSD",
        "storageCapacity": 1200,
        "perUnitStorageThroughput": 125,
        "tags": LABELS,
    },
    "system": {
        "type": NODES,
        "instanceTypes": ["m7i.xlarge"],
        "scalingConfig": {"desiredSize": 2, "minSize": 2, "maxSize": 2},
        "labels": LABELS,
        "tags": LABELS,
        "launchTemplate": {"id": "lt-1", "version": "1"},
    },
    "template": {
        "type": TEMPLATE,
        "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 20, "volumeType": "gp3"}}],
        "metadataOptions": {"httpTokens": "required"},
        "tags": LABELS,
        "tagSpecifications": [{"resourceType": kind, "tags": LABELS} for kind in ("instance", "volume")],
    },
}
"""Lustre at $174.00 and two nodes at $294.34 a month (0.145 x 1,200 GiB; 0.2016 x 1,460 h), the nodes' disks aside."""


def urn(stack: str, name: str, type_: str) -> str:
    return f"urn:pulumi:{stack}::shop::{type_}::{name}"


def record(stack: str, name: str, of: Mapping[str, Any]) -> dict[str, Any]:
    remote = of["type"].startswith("eks:")
    component = remote or of["type"] == CLUSTER
    return {
        "urn": urn(stack, name, of["type"]),
        "type": of["type"],
        "custom": not component,
        "inputs": {key: value for key, value in of.items() if key != "type"},
        "outputs": {key: value for key, value in of.items() if key != "type"},
        "propertyDependencies": {"launchTemplate": [urn(stack, "template", TEMPLATE)]}
        if "launchTemplate" in of
        else {},
        "parent": None if component else urn(stack, "trial", CLUSTER),
        "provider": f"{PROVIDER.format(stack)}::id" if of["type"].startswith("aws:") else "",
        "sourcePosition": None if remote else f"project:///__main__.py#{len(name)}",
    }


def plan(stack: str, before: Resources, after: Resources, replaced: Iterable[str] = ()) -> dict[str, Any]:
    """What a preview of `after` says on the state of `before`."""
    steps: list[dict[str, Any]] = []
    for name in {**before, **after}:
        new = {"newState": record(stack, name, after[name])} if name in after else {}
        op = "delete" if not new else "create" if name not in before else "update"
        op = "same" if name in before and before[name] == after.get(name) else op
        reasons = {"replaceReasons": ["storageType"]} if name in replaced else {}
        op = "replace" if name in replaced else op
        steps.append({"op": op, "urn": urn(stack, name, {**before, **after}[name]["type"]), **reasons, **new})
    same = sum(step["op"] == "same" for step in steps)
    return {"config": {"aws:region": "us-east-1"}, "steps": steps, "changeSummary": {"same": same}, "diagnostics": []}


def state(stack: str, resources: Resources) -> dict[str, Any]:
    """What `pulumi stack export` says, with the default provider that plans leave out."""
    provider = {"urn": PROVIDER.format(stack), "type": "pulumi:providers:aws", "custom": True}
    records = [record(stack, name, of) for name, of in resources.items()]
    return {"version": 3, "deployment": {"resources": [{**provider, "inputs": {"region": "us-east-1"}}, *records]}}


def stack(after: Resources, before: Resources = TRIAL, name: str = "dev", **fields: Any) -> StackEvidence:
    """A stack that was compared, unless `fields` say otherwise."""
    planned = plan(name, before, after, fields.pop("replaced", ()))
    made: dict[str, Any] = {"base": "built", "state": state(name, before), "head": "planned", "plan": planned}
    return StackEvidence(name=name, **{**made, **fields})


def evidence(*stacks: StackEvidence, **fields: Any) -> Evidence:
    made: dict[str, Any] = {"base": BASE, "head": HEAD, "changed_files": [], "stacks": list(stacks), **fields}
    return Evidence(**made)


def changed(name: str, resources: Resources = TRIAL, **inputs: Any) -> Resources:
    """The same program with other inputs of one resource; None takes one away."""
    laid = {**resources[name], **inputs}
    return {**resources, name: {key: value for key, value in laid.items() if value is not None}}


@pytest.fixture(scope="session")
def judge() -> Callable[..., Judgement]:
    """Judges evidence on a fixed day."""
    book = PriceBook(today=TODAY)

    def judged(
        found: Evidence, changed_files: Iterable[str] = (), new_book: PriceBook | None = None, pack: Pack = PACK
    ) -> Judgement:
        judge = Judge(book=book, new_book=new_book, pack=pack, settings=Settings(), today=TODAY)
        return judge.judge(found, changed_files)

    return judged
