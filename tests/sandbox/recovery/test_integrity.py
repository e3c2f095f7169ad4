"""The rules that every state must keep: ours are the engine's."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox import stacks
from gpucluster.sandbox.engine.find import find_engine
from gpucluster.sandbox.environment import environment
from gpucluster.sandbox.project import Project
from gpucluster.sandbox.recovery.integrity import breach

Deployment = dict[str, Any]

PREFIX = "urn:pulumi:dev::small::"
ROOT, PROVIDER = f"{PREFIX}pulumi:pulumi:Stack::small-dev", f"{PREFIX}pulumi:providers:aws::default"
NET, GPU = f"{PREFIX}aws:ec2/vpc:Vpc::net", f"{PREFIX}aws:ec2/subnet:Subnet::gpu"


def _whole() -> Deployment:
    """A network and its subnet."""
    custom = {"custom": True, "parent": ROOT, "provider": f"{PROVIDER}::p-1"}
    needs = {"dependencies": [NET], "propertyDependencies": {"vpcId": [NET], "tags": None}, "deletedWith": NET}
    return {
        "manifest": {
            "time": "2026-01-02T10:00:00Z",
            "version": "v3.250.0",
            "magic": hashlib.sha256(b"v3.250.0").hexdigest(),
        },
        "resources": [
            {"urn": ROOT, "custom": False, "type": "pulumi:pulumi:Stack"},
            {"urn": PROVIDER, "custom": True, "type": "pulumi:providers:aws", "id": "p-1"},
            {"urn": NET, "type": "aws:ec2/vpc:Vpc", "id": "vpc-1", **custom},
            {"urn": GPU, "type": "aws:ec2/subnet:Subnet", "id": "subnet-1", **custom, **needs, "replaceWith": [NET]},
        ],
    }


def _again(at: int, **more: Any) -> Callable[[list[Any]], object]:
    return lambda resources: resources.append({**resources[at], **more})


def _with(at: int, **more: Any) -> Callable[[list[Any]], object]:
    return lambda resources: resources[at].update(more)


KEPT: dict[str, Callable[[list[Any]], object]] = {
    "whole": lambda _: None,
    "empty": lambda resources: resources.clear(),
    "the older of two is to be deleted": _again(3, delete=True),
    "both are to be deleted": lambda resources: (resources[3].update(delete=True), _again(3)(resources)),
    "a deleted one is enough of a dependency": _with(2, delete=True),
    "one that is to be replaced needs no provider": _with(3, provider=f"{PROVIDER}::p-2", pendingReplacement=True),
}
BROKEN: dict[str, tuple[Callable[[list[Any]], object], str]] = {
    "twice": (_again(3), f"holds {GPU} twice"),
    "twice beside a deleted one": (
        lambda resources: (_again(3)(resources), _again(3, delete=True)(resources)),
        f"holds {GPU} twice",
    ),
    "order": (lambda resources: resources.append(resources.pop(2)), f"holds {GPU} before its dependency {NET}"),
    "itself": (_with(2, dependencies=[NET]), f"holds {NET} before its dependency {NET}"),
    "dependency": (_with(3, dependencies=["urn:x"]), f"lacks urn:x, the dependency of {GPU}"),
    "property": (_with(3, propertyDependencies={"a": ["urn:x"]}), f"lacks urn:x, the dependency of {GPU}"),
    "parent": (lambda resources: resources.pop(0), f"lacks {ROOT}, the parent of {NET}"),
    "deleted with": (_with(3, deletedWith="urn:x"), f"lacks urn:x, the companion in deletion of {GPU}"),
    "replaced with": (_with(3, replaceWith=["urn:x"]), f"lacks urn:x, the companion in replacement of {GPU}"),
    "no provider": (lambda resources: resources.pop(1), f"lacks the provider {PROVIDER}::p-1 of {NET}"),
    "provider after it": (
        lambda resources: resources.append(resources.pop(1)),
        f"lacks the provider {PROVIDER}::p-1 of {NET}",
    ),
    "another provider": (_with(3, provider=f"{PROVIDER}::p-2"), f"lacks the provider {PROVIDER}::p-2 of {GPU}"),
    "no reference": (_with(3, provider="aws"), f"gives {GPU} the provider aws, which is not one"),
    "URN of a provider": (
        lambda resources: resources[1].update(urn=NET.replace("net", "p")),
        f"holds the provider {PREFIX}aws:ec2/vpc:Vpc::p, whose URN is not that of a provider",
    ),
    "id": (_with(0, id="small"), f"gives {ROOT}, which is no custom resource, an id"),
    "URN": (_with(3, urn=""), "holds a resource without URN or type, at index 3"),
    "type": (_with(3, type=""), "holds a resource without URN or type, at index 3"),
}


def _changed(change: Callable[[list[Any]], object]) -> Deployment:
    deployment = _whole()
    change(deployment["resources"])
    return deployment


@pytest.mark.parametrize("case", KEPT)
def test_a_state_that_keeps_the_rules_has_no_breach(case: str) -> None:
    assert breach(_changed(KEPT[case])) == ""


@pytest.mark.parametrize("case", BROKEN)
def test_the_first_broken_rule_is_named(case: str) -> None:
    change, wrong = BROKEN[case]
    assert breach(_changed(change)) == wrong


def test_a_changed_manifest_is_named() -> None:
    changed = {**_whole(), "manifest": {**_whole()["manifest"], "version": "v3.249.0"}}
    assert breach(changed) == "has a manifest whose checksum is wrong"
    assert breach({"resources": []}) == ""


@pytest.mark.parametrize("value", [None, 1, "x", ["x"], {"x": 1}, [None], [{"urn": 1, "type": {}}]], ids=str)
def test_resources_of_any_shape_are_read(value: Any) -> None:
    assert isinstance(breach({"manifest": value, "resources": value}), str)
    for name in ("parent", "dependencies", "propertyDependencies", "deletedWith", "replaceWith", "provider", "id"):
        assert isinstance(breach(_changed(_with(3, **{name: value}))), str)


@pytest.mark.engine
@pytest.mark.slow
def test_the_engine_accepts_and_refuses_the_same_states(project: Any) -> None:
    assert project.run("pulumi", "stack", "init", "dev").returncode == 0
    own = Project(project.root / "Pulumi.yaml")
    (file,) = own.store.states("small").glob("dev.json")
    first = json.loads(file.read_text())

    def accepted(deployment: Deployment) -> bool:
        document = copy.deepcopy(first)
        document["checkpoint"]["latest"] = {**first["checkpoint"]["latest"], **deployment}
        file.write_text(json.dumps(document))
        folder = stacks.project_for_init(own)
        command = [find_engine().binary, "-C", folder, "stack", "--stack", "dev", "--non-interactive"]
        variables = environment(os.environ, own.store)
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        # The last two while it reads the state.
        refusals = ("snapshot integrity failure", "non-empty ID", "missing required")
        assert (done.returncode == 0) != any(refusal in done.stderr for refusal in refusals), done.stderr
        return done.returncode == 0

    assert {case: accepted(_changed(change)) for case, change in KEPT.items()} == dict.fromkeys(KEPT, True)
    assert {case: accepted(_changed(change)) for case, (change, _) in BROKEN.items()} == dict.fromkeys(BROKEN, False)
    manifest = {**_whole()["manifest"], "version": "v3.249.0"}
    assert not accepted({**_whole(), "manifest": manifest})
