"""Other values for a spec, for one preview: what would it cost with 8 nodes?

`GPUCLUSTER_SET` holds them as a JSON object with string values, `{"training.nodes": "8"}`, each as the spec has it.
`gpucluster cost report --run ... --set nodes=8` sets it, and finds in the cluster's facts (`whatIf`) that it was heard.
"""

from __future__ import annotations

import os
import types
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Union, cast, get_args, get_origin

import yaml

from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.errors import is_secret
from gpucluster.components.spec.model import Model
from gpucluster.components.yaml_file import YamlFile
from gpucluster.errors import InputError
from gpucluster.textio.json_text import BadJson
from gpucluster.textio.json_text import parse as parse_json
from gpucluster.textio.yaml_text import BadYaml, construct, parse

SET_VARIABLE: Final = "GPUCLUSTER_SET"
_FIRST: Final = "training."
"""The part whose fields are meant when a short name is in several."""


def wanted() -> Mapping[str, str]:
    """Name -> text, as the environment has it. Raises InputError when it cannot be read."""
    text = os.environ.get(SET_VARIABLE, "")
    if not text:
        return {}
    try:
        found: Any = parse_json(text)
    except BadJson:
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in cast(dict[Any, Any], found).values()):
        raise InputError(
            SET_VARIABLE, ['is not a JSON object with string values; write one such as {"training.nodes": "8"}']
        )
    return cast(dict[str, str], found)


def applied(file: YamlFile, values: Mapping[str, str]) -> tuple[YamlFile, list[str]]:
    """(the file with other values, what changed in words). Raises InputError with every name that is no field."""
    if not values:
        return file, []
    fields = list(_fields(ClusterSpec, "", file.root))
    problems: list[str] = []
    said: list[str] = []
    for name, text in values.items():
        try:
            path = _path(name, fields)
            value = parse(text, path)
        except BadYaml:
            problems.append(f"{name}={text} is not a value; write it as in the spec")
        except ValueError as error:
            problems.append(str(error))
        else:
            problems += [fault.text for fault in value.faults]
            before = _put(file.root, path.split("."), value.root or _empty(file.root))
            said.append(f"{path} is {text}, {before}")
    if problems:
        raise InputError(SET_VARIABLE, problems)
    return replace(file, data=construct(file.root)), said


def _fields(model: type[Model], above: str, node: yaml.Node | None) -> Iterator[str]:
    """Full names of the fields that hold one value or a list, such as training.nodes; those of what has a name of the
    user's own, such as a pool, by the names in the spec. node: the model's own part of the spec.
    """
    for name, info in model.model_fields.items():
        child = _child(node, name) if isinstance(node, yaml.MappingNode) else None
        named = list(_models(get_args(info.annotation)[1])) if get_origin(info.annotation) is dict else []
        if named and isinstance(child, yaml.MappingNode):
            for key, value in child.value:
                yield from _fields(named[0], f"{above}{name}.{key.value}.", value)
            continue
        inner = list(dict.fromkeys(_models(info.annotation)))
        if not inner and not is_secret(info.annotation):  # what is asked otherwise is told
            yield f"{above}{name}"
        for one in inner:
            yield from _fields(one, f"{above}{name}.", child)


def _models(hint: Any) -> Iterator[type[Model]]:
    if isinstance(hint, type) and issubclass(hint, Model):
        yield hint
    elif get_origin(hint) in (Annotated, Union, types.UnionType):
        for one in get_args(hint):
            yield from _models(one)


def _path(name: str, fields: list[str]) -> str:
    """The full name that a name means. ValueError says what is allowed."""
    known = list(dict.fromkeys(fields))
    if name in known or name.startswith("labels."):
        return name
    ending = [field for field in known if field.endswith(f".{name}")]
    preferred = [field for field in ending if field == f"{_FIRST}{name}"] or ending
    if len(preferred) == 1:
        return preferred[0]
    if preferred:
        raise ValueError(f"{name} is ambiguous: {' or '.join(preferred)}; write one of them")
    raise ValueError(f"{name} is not a field of a spec; allowed: {', '.join(known)}{did_you_mean(name, _short(known))}")


def _short(names: list[str]) -> list[str]:
    return [*names, *(name.rsplit(".", 1)[-1] for name in names)]


def _put(root: yaml.MappingNode, path: list[str], value: yaml.Node) -> str:
    """Sets the value at a path, which it makes where it is not there; says what was there."""
    node: yaml.MappingNode = root
    for step in path[:-1]:
        found = _child(node, step)
        if not isinstance(found, yaml.MappingNode):
            found = yaml.MappingNode("tag:yaml.org,2002:map", [], node.start_mark, node.end_mark)
            _set(node, step, found)
        node = found
    before = _child(node, path[-1])
    value.start_mark = value.start_mark if before is None else before.start_mark
    _set(node, path[-1], value)
    if before is None:
        return "not set in the spec"
    return f"{before.value} in the spec" if isinstance(before, yaml.ScalarNode) else "different in the spec"


def _child(node: yaml.MappingNode, key: str) -> yaml.Node | None:
    return next((value for name, value in node.value if name.value == key), None)


def _set(node: yaml.MappingNode, key: str, value: yaml.Node) -> None:
    name = yaml.ScalarNode("tag:yaml.org,2002:str", key, node.start_mark, node.end_mark)
    node.value = [(old, inner) for old, inner in node.value if old.value != key] + [(name, value)]


def _empty(root: yaml.Node) -> yaml.Node:
    return yaml.ScalarNode("tag:yaml.org,2002:null", "", root.start_mark, root.end_mark)
