"""Plans of a cloud, recorded: every registration of a few specs, which together use all that components declare.

`plans/CLOUD/specs.yaml` has the specs, as changes to the trial's. `plans/CLOUD/trial.yaml` has all that the trial
registers, `plans/CLOUD/NAME.yaml` what differs from it: what a choice in a spec does. UPDATE_GOLDEN=1 writes them anew;
read the difference. A long text (a script, rules of alerts, a dashboard) is its length and digest: it is a file of
components/ or has a test of its own. The labels of the cluster are left out where all are there.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import Any, cast
from unittest import mock

import pulumi
import pytest
import yaml
from pulumi.runtime import rpc
from pulumi.runtime.mocks import MockMonitor

from gpucluster.components.aws.location import Location as Aws
from gpucluster.components.azure.location import Location as Azure
from gpucluster.components.azure.settings import Settings
from gpucluster.components.cluster.cloud import cloud_of
from gpucluster.components.gcp.location import Location as Gcp
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.stack.declaration import few_calls
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.program.resources import UNKNOWN, Resource

__all__ = [
    "PLANS",
    "SPECS",
    "TRIAL",
    "Hidden",
    "Recorded",
    "chosen",
    "difference",
    "location",
    "plan_of",
    "spec_names",
    "written",
]

PLANS = Path(__file__).parent / "plans"
TRIAL: dict[str, Any] = yaml.safe_load((Path(__file__).parents[2] / "stacks/specs/trial.yaml").read_text("utf-8"))
_LONG = 600
"""Longest text that is recorded as it is; of several lines a third."""
_NEVER = 10_000
_MANY = 6
"""Mappings in a list from which on each is recorded as what differs from the one before."""
_ELSEWHERE = (
    "jobs-*-runtime",
    "jobs-rules-*",
    "monitoring-alerts",
    "monitoring-rules",
    "telemetry-dashboard-*",
)
"""Names of what tests of its own hold: its inputs are a digest here."""
_LABELS = {"pulumi-project": "gpucluster", **TRIAL["labels"]}
_FROM_OTHERS = ("trial-", "sg-cluster")
"""A text with one of these has a value that only the cloud knows, where it depends on another resource."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The plan of a spec. registered: name -> registration, as it is recorded. inputs: name
    without the cluster's -> inputs, whole. types: likewise its type. judged: all resources, for judges.
    """

    registered: Mapping[str, Mapping[str, Any]]
    inputs: Mapping[str, Any]
    types: Mapping[str, str]
    judged: tuple[Resource, ...]

    def of(self, *kinds: str) -> dict[str, Any]:
        """Name without the cluster's -> inputs, of the clouds' types with one of these last parts."""
        return {
            name: self.inputs[name]
            for name, type_ in self.types.items()
            if type_.rpartition(":")[2] in kinds and not type_.startswith("gpucluster:")
        }


@functools.cache
def _specs(cloud: str) -> dict[str, dict[str, Any]]:
    return yaml.safe_load((PLANS / cloud / "specs.yaml").read_text("utf-8"))


def spec_names(cloud: str) -> list[str]:
    """The recorded specs of a cloud."""
    return [*_specs(cloud)]


SPECS = [
    pytest.param(cloud, name, id=f"{cloud}-{name}", marks=pytest.mark.xdist_group(f"plan of {cloud} {name}"))
    for cloud in clouds()
    for name in spec_names(cloud)
]
"""Every recorded spec; tests of one run in the same process, which declares its plan once."""


def chosen(cloud: str, name: str) -> dict[str, Any]:
    """A recorded spec: `changes` to the trial's, `place` and `machine`."""
    return _specs(cloud)[name] or {}


def location(cloud: str, place: Mapping[str, Any]) -> Any:
    """Where the cluster of a recorded spec is. place: what differs from the trial's."""
    if cloud == "aws":
        return Aws(**{"region": "us-east-1", "zone": "us-east-1a", **place})
    if cloud == "gcp":
        return Gcp(**{"project": "my-project", "region": "us-central1", "zone": "us-central1-b", **place})
    here = {"subscription": "00000000-0000-0000-0000-000000000000", "region": "eastus", "number": "1"}
    return Azure(
        **here | {key: place[key] for key in here if key in place},
        settings=Settings(**{key: value for key, value in place.items() if key not in here}),
    )


class Hidden(dict[str, Any]):
    """A value that is a secret, below the key `secret`. Objects of Kubernetes have such a key of another meaning."""


class _Monitor(MockMonitor):
    """Keeps the requests of a program, and answers them like an update on the cloud."""

    def __init__(self, cloud: str) -> None:
        super().__init__(import_module(f"tests.components.{cloud}.conftest").Recorder())
        self.requests: dict[str, Any] = {}

    def RegisterResource(self, request: Any) -> Any:
        if request.type != "pulumi:pulumi:Stack":  # only in the first program of a process
            self.requests[request.name] = request
        return super().RegisterResource(request)


@functools.cache
def plan_of(cloud: str, name: str) -> Recorded:
    """What a spec of `specs.yaml` registers; declared once."""
    given = chosen(cloud, name)
    spec = ClusterSpec.model_validate({**TRIAL, **given.get("changes", {})})
    place = location(cloud, given.get("place", {}))
    plan: Any = cloud_of(cloud).plan_cluster(spec, place, f"{cloud}-trial", given.get("machine"))
    monitor = _Monitor(cloud)
    pulumi.runtime.set_mocks(
        monitor.mocks, project="gpucluster", stack=f"{cloud}-trial", preview=False, monitor=monitor
    )

    @pulumi.runtime.test
    def declared() -> None:
        import_module(f"gpucluster.components.{cloud}.cluster").TrainingCluster(plan.name, plan)

    # Azure's SDK works out ten former names of each resource, which takes as long as all the rest.
    no_names = mock.patch("pulumi.resource.collapse_alias_to_urn", lambda *_: pulumi.Output.from_input(""))
    with few_calls(), no_names:
        declared()
    inputs = {full: _given(request) for full, request in sorted(monitor.requests.items())}
    return Recorded(
        registered={full: _registration(monitor.requests[full], given) for full, given in inputs.items()},
        inputs={full.removeprefix("trial-"): given for full, given in inputs.items()},
        types={full.removeprefix("trial-"): monitor.requests[full].type for full in inputs},
        judged=tuple(_resource(monitor.requests[full], given) for full, given in inputs.items()),
    )


def _given(request: Any) -> Any:
    return _open(rpc.deserialize_properties(request.object, keep_unknowns=False))


def _open(value: Any) -> Any:
    if rpc.is_rpc_secret(value):
        return Hidden(secret=_open(rpc.unwrap_rpc_secret(value)))
    if isinstance(value, dict):
        return {key: _open(item) for key, item in cast("dict[str, Any]", value).items()}
    return [_open(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _registration(request: Any, given: Any) -> dict[str, Any]:
    """Type, parent, inputs and options; `after`: what it waits for besides what its values come from."""
    behind = {urn for by in request.propertyDependencies.values() for urn in by.urns}
    found: dict[str, Any] = {
        # The stack has the name that the first program of a process gives it.
        "is": request.type
        if "::pulumi:pulumi:Stack::" in request.parent
        else f"{request.type} of {_short(request.parent)}",
        "after": ", ".join(sorted(_short(urn) for urn in {*request.dependencies} - behind)),
        "protect": request.protect,
        "keeps": [*request.ignoreChanges],
        "replacedBy": [*request.replaceOnChanges],
        "deletedFirst": request.deleteBeforeReplace,
        "retained": request.retainOnDelete,
        "hooks": [*request.hooks.after_create],
    }
    plain: dict[str, Any] = _plain(given)
    if any(fnmatchcase(request.name, f"trial-{pattern}") for pattern in _ELSEWHERE):
        plain = {"inputs": _digest(json.dumps(plain))}
    if request.type.startswith("kubernetes:"):
        plain = {key: value for key, value in plain.items() if key not in {"apiVersion", "kind"}}
    tags: dict[str, str] = plain.get("tags", {})
    if tags.get("Name") == request.name:
        del tags["Name"]
    return {key: value for key, value in found.items() if value} | plain


def _short(urn: str) -> str:
    return urn.rpartition("::")[2].removeprefix("trial-")


def _plain(value: Any) -> Any:
    """A value as it is recorded."""
    if isinstance(value, Mapping):
        found = {key: _plain(item) for key, item in sorted(cast("Mapping[str, Any]", value).items())}
        if not _LABELS.items() <= found.items():
            return found
        return {"...": "labels", **{key: item for key, item in found.items() if key not in {*_LABELS, "pulumi-stack"}}}
    if isinstance(value, list | tuple):
        items = [_plain(item) for item in cast("list[Any]", value)]
        if len(items) < _MANY or not isinstance(items[0], dict):
            return items
        return [items[0], *(difference(*pair) for pair in itertools.pairwise(items))]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return value
    if value[:1] in {"{", "["}:
        with contextlib.suppress(ValueError):
            return {"json": _plain(json.loads(value))}
    return _digest(value) if len(value) > (_LONG if "\n" not in value else _LONG / 3) else value


def _digest(text: str) -> str:
    return f"{len(text):,} characters, SHA-256 {hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _resource(request: Any, given: Any) -> Resource:
    depends = {name: tuple(by.urns) for name, by in request.propertyDependencies.items() if by.urns}
    known = {name: _unknown(value, _FROM_OTHERS if name in depends else ()) for name, value in given.items()}
    return Resource(
        urn=request.name,
        type=request.type,
        name=request.name,
        inputs=known,
        custom=request.custom,
        dependencies=depends,
    )


def _unknown(value: Any, marks: tuple[str, ...]) -> Any:
    """A value as far as a plan knows it: not what is secret, nor what depends on other resources."""
    if isinstance(value, Hidden):
        return UNKNOWN
    if isinstance(value, dict):
        return {key: _unknown(item, marks) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_unknown(item, marks) for item in cast("list[Any]", value)]
    return UNKNOWN if isinstance(value, str) and any(mark in value for mark in marks) else value


def difference(before: Any, after: Any) -> Any:
    """What changes: of mappings their changed keys, with None for a removed one; of lists of one length likewise,
    of others the items added and removed.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        old, new = cast("dict[str, Any]", before), cast("dict[str, Any]", after)
        changed = {key: difference(old.get(key), value) for key, value in new.items() if old.get(key) != value}
        return {**changed, **dict.fromkeys(key for key in old if key not in new)}
    if isinstance(before, list) and isinstance(after, list) and before and after:
        old, new = cast("list[Any]", before), cast("list[Any]", after)
        if len(old) == len(new):
            pairs = enumerate(zip(old, new, strict=True))
            return {f"[{at}]": difference(one, other) for at, (one, other) in pairs if one != other}
        found = {"+": [item for item in new if item not in old], "-": [_start(item) for item in old if item not in new]}
        return {key: items for key, items in found.items() if items}
    return after


def _start(item: Any) -> Any:
    """Enough of a removed item to find it in what is recorded before."""
    given = cast("dict[str, Any]", item).get("name", item) if isinstance(item, dict) else item
    text = given if isinstance(given, str) else json.dumps(given)
    return text if len(text) <= 60 else f"{text[:60]}..."


def written(document: Mapping[str, Any]) -> str:
    """YAML with every collection that fits in a few lines as one flow."""
    node = yaml.SafeDumper(io.StringIO(), sort_keys=False).represent_data(dict(document))
    for _, item in node.value:
        _fold(item)
    return yaml.serialize(node, Dumper=yaml.SafeDumper, width=118, allow_unicode=True)


def _fold(node: Any) -> int:
    """Sets the form of a node; returns its length as a flow."""
    if isinstance(node, yaml.ScalarNode):
        return _NEVER if "\n" in node.value else len(node.value) + 4
    if isinstance(node, yaml.MappingNode):
        length = sum(_fold(key) + _fold(value) for key, value in node.value)
        node.flow_style = length < 300
    else:
        lengths = [_fold(item) for item in node.value]
        length = sum(lengths)
        node.flow_style = length < (150 if max(lengths, default=0) > 60 else 900)
    return length


def _base(cloud: str, name: str) -> Mapping[str, Any]:
    """What a recording is the difference from: for a trial, the Kubernetes objects of AWS's."""
    if name != "trial":
        return plan_of(cloud, "trial").registered
    if cloud == "aws":
        return {}
    objects = plan_of("aws", "trial").registered
    return {name: item for name, item in objects.items() if item["is"].startswith("kubernetes:")}


def recording(cloud: str, name: str) -> str:
    """The text of a plan's file: the names of what is no longer registered, and what is added or changed. An added
    resource is recorded as its difference from one of the same type before it, where that is short.
    """
    before, after = _base(cloud, name), plan_of(cloud, name).registered
    without = [_short(key) for key in before if key not in after]
    found: dict[str, Any] = {"without": ", ".join(without)} if without else {}
    kinds: dict[str, list[str]] = {}
    for key, item in after.items():
        alike = kinds.setdefault(item["is"].partition(" ")[0], [])
        if key not in before:
            found[_short(key)] = min(
                [item, *({"like": _short(other), **difference(after[other], item)} for other in alike)],
                key=lambda value: len(json.dumps(value)),
            )
        elif before[key] != item:
            found[_short(key)] = difference(before[key], item)
        alike.append(key)
    return written(found)
