"""Other values for a spec, for one preview: what would it cost with 8 nodes?

`GPUCLUSTER_SET` holds them as a JSON object with string values, `{"training.nodes": "8"}`, each as the spec has it.
`gpucluster cost report --run ... --set nodes=8` sets it, and finds in the cluster's facts (`whatIf`) that it was heard.
"""

from __future__ import annotations

import os
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Union, cast, get_args, get_origin

from gpucluster.components.planning.configuration import did_you_mean
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.errors import is_secret
from gpucluster.components.spec.model import Model
from gpucluster.core.text.json_text import BadJson
from gpucluster.core.text.json_text import parse as parse_json
from gpucluster.core.text.values import shown_value
from gpucluster.core.text.yaml_text import BadYaml, parse
from gpucluster.errors import InputError

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


def applied(data: dict[Any, Any], values: Mapping[str, str]) -> tuple[dict[Any, Any], list[str]]:
    """(the spec with other values, a text about each change). Raises InputError with every name that is no field."""
    if not values:
        return data, []
    fields = list(dict.fromkeys(_fields(ClusterSpec, "", data)))
    problems: list[str] = []
    changes: list[str] = []
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
            steps = path.split(".")
            changes.append(f"{path} is {text}, {_before(data, steps)}")
            data = _changed(data, steps, value.data)
    if problems:
        raise InputError(SET_VARIABLE, problems)
    return data, changes


def _fields(model: type[Model], above: str, values: Any) -> Iterator[str]:
    """Full names of the fields that hold one value or a list, such as training.nodes; members of a mapping with the
    user's own names, such as pools, by the names in the spec. values: the model's own part of the spec.
    """
    for name, info in model.model_fields.items():
        part: Any = cast(Any, values).get(name) if isinstance(values, dict) else None
        named = list(_models(get_args(info.annotation)[1])) if get_origin(info.annotation) is dict else []
        if named and isinstance(part, dict):
            for key, member in cast(dict[Any, Any], part).items():
                yield from _fields(named[0], f"{above}{name}.{key}.", member)
            continue
        inner = list(dict.fromkeys(_models(info.annotation)))
        if not inner and not is_secret(info.annotation):  # changes are printed
            yield f"{above}{name}"
        for one in inner:
            yield from _fields(one, f"{above}{name}.", part)


def _models(hint: Any) -> Iterator[type[Model]]:
    if isinstance(hint, type) and issubclass(hint, Model):
        yield hint
    elif get_origin(hint) in (Annotated, Union, types.UnionType):
        for one in get_args(hint):
            yield from _models(one)


def _path(name: str, known: list[str]) -> str:
    """The full name that a name means. ValueError says what is allowed."""
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


def _changed(values: Any, path: Sequence[str], value: Any) -> Any:
    """The values with another one at a path, whose mappings are created if they are missing."""
    if not path:
        return value
    members = cast(dict[Any, Any], values if isinstance(values, dict) else {})
    return {**members, path[0]: _changed(members.get(path[0]), path[1:], value)}


def _before(values: Any, path: Sequence[str]) -> str:
    """A text about the value at a path."""
    for step in path:
        if not isinstance(values, dict) or step not in values:
            return "not set in the spec"
        values = cast(dict[Any, Any], values)[step]
    if isinstance(values, dict | list):
        return "different in the spec"
    return f"{values if isinstance(values, str) else shown_value(values)} in the spec"
