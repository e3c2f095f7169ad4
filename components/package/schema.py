"""The schema of the package, generated from the models of a spec by `python -m gpucluster.components.package.schema`.

It is stored in schema.json, so that a program in one language loads no model and only the SDK of its cloud.
Names are those of a spec file everywhere. Specs that choose by `kind` are one type with the fields of all kinds: not
every language of Pulumi has unions, and the plan checks the fields of each kind with better messages.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import re
import types
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from gpucluster.components.cluster.cloud import CLOUDS
from gpucluster.components.cluster.outputs import Logs, Pool, Registry, SharedStorage
from gpucluster.components.package.folder import NAME, SCHEMA_FILE
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.model import model_schema

_PRIMITIVES: Final[Mapping[Any, str]] = {str: "string", int: "integer", bool: "boolean"}
_MONEY: Final = {
    "monthly": "USD a month of 730 hours, expected",
    "monthlyFloor": "USD a month, with elastic pools empty",
    "monthlyCeiling": "USD a month, with elastic pools full",
    "hourly": "USD an hour, expected",
    "perTrainingGpuHour": "USD an hour of one training GPU, without elastic pools",
    "perTrainingGpuHourWithCommitted": "The same, with the rest of longer commitments",
    "notPriced": "Number of resources without a price; absent if all have one",
}


def package_schema() -> dict[str, Any]:
    """The output of `pulumi package get-schema`."""
    kept: dict[str, Any] = {}
    spec = _Spec(kept)
    own = {"name": NAME, "displayName": "GPU training clusters", "version": version(NAME)}
    resources = {f"{NAME}:{cloud}:TrainingCluster": _cluster(cloud, spec, kept) for cloud in CLOUDS}
    return {
        **own,
        "description": "Equivalent H100 training clusters on AWS, Google Cloud and Azure",
        "license": "Apache-2.0",
        "meta": {"moduleFormat": "(.*)"},
        "types": dict(sorted(kept.items())),
        "resources": resources,
    }


def _cluster(cloud: str, spec: _Spec, kept: dict[str, Any]) -> dict[str, Any]:
    face: Any = importlib.import_module(f"{NAME}.{cloud}")
    location = _location(cloud, face.Location, kept)
    names = ("ClusterPool", "ClusterStorage", "ClusterLogs", "ClusterRegistry", "ClusterCost")
    pool, storage, logs, registry, cost = (f"{NAME}:index:{name}" for name in names)
    kept[pool], kept[storage] = _output(Pool), _output(SharedStorage)
    kept[logs], kept[registry] = _output(Logs), _output(Registry)
    texts = {name: {"type": "string", "description": text} for name, text in _MONEY.items()}
    required = ["monthly", "monthlyFloor", "monthlyCeiling", "hourly"]
    about = "What the cluster costs: an amount; `1.00 to 2.00`, `at least 1.00` or `unknown` where a price is not known"
    kept[cost] = {"type": "object", "description": about, "properties": texts, "required": required}
    text = {"type": "string"}
    outputs = {
        "clusterName": {**text, "description": "Its name in the cloud"},
        "endpoint": {**text, "description": "URL of the cluster's API"},
        "kubeconfig": {**text, "description": "For kubectl and providers; holds no credential"},
        "account": {
            **text,
            "description": "Billed account, project or resource group: account number, project, or id of the resource "
            "group",
        },
        "metrics": {**text, "description": "URL that answers PromQL below /api/v1"},
        "pools": {**_map(_to(pool)), "description": "Pools of GPU nodes by name"},
        "storage": {**_to(storage), "description": "Shared storage, which all nodes mount"},
        "logs": {**_to(logs), "description": "Location of the logs of pods; absent if none are kept"},
        "registry": {**_to(registry), "description": "Registry of job images; absent if there is none"},
        "bucket": {**text, "description": "Address of the cluster's own bucket; empty if it has none"},
        "identities": {
            **_map(text),
            "description": "Service account of jobs with bucket access -> its namespace",
        },
        "cost": {**_to(cost), "description": f"{about}. For this cluster only, at list prices in USD"},
    }
    return {
        "isComponent": True,
        "description": _first(face.TrainingCluster),
        "inputProperties": {
            "spec": {**_mapping(spec.root), "description": f"{_first(ClusterSpec)}. May be the content of a spec file"},
            "location": {**_mapping(location), "description": "Location of the GPU nodes"},
            "machine": {
                **text,
                "plain": True,
                "description": "Type of the training nodes; default: what the spec implies",
            },
        },
        "requiredInputs": ["location", "spec"],
        "properties": outputs,
        "required": sorted(outputs.keys() - {"logs", "registry"}),
    }


class _Spec:
    """The types of a spec. kept: receives them by token. root: that of the whole."""

    def __init__(self, kept: dict[str, Any]) -> None:
        whole = model_schema(ClusterSpec)
        self._models: dict[str, Any] = {**whole.pop("$defs"), "ClusterSpec": whole}
        # The name of a cluster is its component's, and is optional.
        whole["required"].remove("name")
        self._kept = kept
        self.root = self._model("ClusterSpec")

    def _model(self, name: str) -> str:
        model = self._models[name]
        return self._keep(name, model["description"], self._members(name, model), model.get("required", []))

    def _members(self, owner: str, model: Mapping[str, Any]) -> dict[str, Any]:
        return {field: self._property(owner, field, node) for field, node in model["properties"].items()}

    def _property(self, owner: str, field: str, node: Mapping[str, Any]) -> dict[str, Any]:
        found = self._type(owner, field, node)
        text = node.get("description") or self._kept[found["$ref"].removeprefix("#/types/")]["description"]
        default = node.get("default")
        if default not in (None, [], {}) and not isinstance(default, dict) and "default: " not in text:
            text += f"; default: {json.dumps(default) if isinstance(default, bool | list) else default}"
        return {**found, "description": text}

    def _type(self, owner: str, field: str, node: Mapping[str, Any]) -> dict[str, Any]:
        if "$ref" in node:
            return _to(self._model(node["$ref"].rpartition("/")[2]))
        if "oneOf" in node:
            return _to(self._union(field, [self._models[kind["$ref"].rpartition("/")[2]] for kind in node["oneOf"]]))
        if "anyOf" in node:
            choices = [choice for choice in node["anyOf"] if choice.get("type") != "null"]
            # A decimal may also be a text, which a number in YAML never needs.
            return self._type(owner, field, choices[0])
        if "enum" in node:
            return _to(_enum(self._kept, f"{owner}{_pascal(field)}", dict.fromkeys(node["enum"])))
        if node["type"] == "array":
            return {"type": "array", "items": self._type(owner, field, node["items"])}
        if node["type"] == "object":
            return _map(self._type(owner, field, node["additionalProperties"]))
        return {"type": node["type"]}

    def _union(self, field: str, kinds: Iterable[Mapping[str, Any]]) -> str:
        name, about = _pascal(field), dict[str, str | None]()
        descriptions: dict[str, dict[str, list[str]]] = {}
        members: dict[str, Any] = {}
        for model in kinds:
            kind = model["properties"]["kind"]["const"]
            about[kind] = model["description"].splitlines()[0]
            for member, found in self._members(name, _without_kind(model)).items():
                members[member] = found
                descriptions.setdefault(member, {}).setdefault(found["description"], []).append(kind)
        for member, texts in descriptions.items():
            one = [text for text, where in texts.items() if len(where) == len(about)]
            parts = one or [f"kind {' or '.join(where)}: {text}" for text, where in texts.items()]
            members[member] = {**members[member], "description": "; ".join(parts)}
        chosen = {**_to(_enum(self._kept, f"{name}Kind", about)), "description": f"Kind: {', '.join(about)}"}
        return self._keep(name, f"One of {', '.join(about)}", {"kind": chosen, **members}, ["kind"])

    def _keep(self, name: str, about: str, members: Mapping[str, Any], required: Iterable[str]) -> str:
        token = f"{NAME}:index:{name}"
        self._kept[token] = {
            "type": "object",
            "description": about.splitlines()[0],
            "properties": members,
            "required": sorted(required),
        }
        return token


def _enum(kept: dict[str, Any], name: str, values: Mapping[Any, str | None]) -> str:
    """The token of a field's choices, with optional descriptions. name: without a module, or complete."""
    token = name if ":" in name else f"{NAME}:index:{name}"
    # The YAML host accepts numbers of no other type.
    kind = "string" if all(isinstance(value, str) for value in values) else "number"
    choices = [
        {"name": _pascal(str(value)) if kind == "string" else f"{name}{value}", "value": value}
        | ({"description": text} if text else {})
        for value, text in values.items()
    ]
    about = f"One of {', '.join(map(str, values))}"
    kept[token] = {"type": kind, "description": about, "enum": choices}
    return token


def _without_kind(model: Mapping[str, Any]) -> dict[str, Any]:
    return {**model, "properties": {name: node for name, node in model["properties"].items() if name != "kind"}}


def _location(cloud: str, of: type, kept: dict[str, Any]) -> str:
    """The type of a location, whose fields have the names of a spec's."""
    token, about, hints = f"{NAME}:{cloud}:Location", _described(of), get_type_hints(of)
    members: dict[str, Any] = {}
    for field in dataclasses.fields(of):
        text, hint = about[field.name], hints[field.name]
        if field.default not in (dataclasses.MISSING, None) and "default: " not in text:
            text += f"; default: {json.dumps(field.default).strip(chr(34))}"
        chosen = dict.fromkeys(get_args(hint)) if get_origin(hint) is Literal else {}
        kind = _to(_enum(kept, f"{token}{_pascal(field.name)}", chosen)) if chosen else {"type": _primitive(hint)}
        members[field.name] = {**kind, "description": text}
    required = [field.name for field in dataclasses.fields(of) if field.default is dataclasses.MISSING]
    kept[token] = {"type": "object", "description": _first(of), "properties": members, "required": sorted(required)}
    return token


def _output(of: type) -> dict[str, Any]:
    """The type of an output, whose fields are in the naming style of Pulumi's languages."""
    about, hints = _described(of), get_type_hints(of)
    fields = [field.name for field in dataclasses.fields(of)]
    members = {_camel(name): {**_held(hints[name]), "description": about[name]} for name in fields}
    return {"type": "object", "description": _first(of), "properties": members, "required": sorted(members)}


def _described(of: type) -> dict[str, str]:
    """A docstring's description of each field: `region: such as us-east-1. zone, second: ...`."""
    names = [field.name for field in dataclasses.fields(of)]
    one = rf"(?:{'|'.join(names)})"
    text = " ".join(str(inspect.getdoc(of)).split())
    found = {
        name: part.strip().rstrip(".")
        for group, part in re.findall(rf"({one}(?:, {one})*): (.*?)(?=(?:(?<=[.] ){one}(?:, {one})*: )|$)", text)
        for name in group.split(", ")
    }
    return {name: f"{found[name][0].upper()}{found[name][1:]}" for name in names}


def _held(hint: Any) -> dict[str, Any]:
    """The type of a field of an output: a primitive, or a mapping to one."""
    mapped = get_origin(hint) is Mapping
    kind = {"type": _primitive(get_args(hint)[1] if mapped else hint)}
    return _map(kind) if mapped else kind


def _primitive(hint: Any) -> str:
    if isinstance(hint, types.UnionType) or get_origin(hint) is not None:
        hint = next(arg for arg in get_args(hint) if arg is not type(None))
    return _PRIMITIVES[hint]


def _first(of: type) -> str:
    return str(inspect.getdoc(of)).split("\n\n")[0].replace("\n", " ").split(". ")[0].rstrip(".")


def _to(token: str) -> dict[str, Any]:
    return {"$ref": f"#/types/{token}"}


def _mapping(token: str) -> dict[str, Any]:
    """An input of this type, or any mapping: a file's content, or values a language would reject less clearly."""
    return {"oneOf": [_to(token), _map({"$ref": "pulumi.json#/Any"})], "plain": True}


def _map(inner: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": inner}


def _camel(field: str) -> str:
    return re.sub(r"_([a-z])", lambda letter: letter[1].upper(), field)


def _pascal(text: str) -> str:
    return "".join(f"{word[0].upper()}{word[1:]}" for word in re.split(r"[^a-zA-Z0-9]+", text))


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json.dumps(package_schema(), indent=2) + "\n")
