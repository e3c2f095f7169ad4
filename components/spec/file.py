"""Reads a spec, with other values for one preview, and reports all of its mistakes at once."""

from __future__ import annotations

import os
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Generic, Protocol, TypeVar, Union, cast, get_args, get_origin

import yaml

from gpucluster.components.planning.problem import Problem, did_you_mean
from gpucluster.components.spec.cluster import ClusterSpec, StackSpec
from gpucluster.components.spec.errors import InvalidSpec, is_secret, line_of, mistakes_of
from gpucluster.components.spec.model import Model
from gpucluster.core.program.closing import hand_over
from gpucluster.core.text.json_text import BadJson
from gpucluster.core.text.json_text import parse as parse_json
from gpucluster.core.text.values import shown_value
from gpucluster.core.text.yaml_text import AmbiguousValue, BadYaml, parse, read
from gpucluster.errors import InputError

STDIN: Final = "/dev/stdin"
"""The file that a command reads for the argument -."""


@dataclass(frozen=True)
class YamlFile:
    """root: the mapping with its lines, None if it is from Python. data: its plain values. faults: of the YAML."""

    source: str
    root: yaml.MappingNode | None
    data: dict[Any, Any]
    faults: tuple[AmbiguousValue, ...]


def shown_path(path: Path) -> str:
    """A path that the user can open: as it was given, without the user's folder."""
    if str(path) == STDIN:
        return "stdin"
    around = (here for here in (_shown_from[-1], Path.cwd()) if here is not None and path.is_relative_to(here))
    return next((str(path.relative_to(here)) for here in around), str(path))


_shown_from: Final[list[Path | None]] = [None]


def show_from(folder: Path) -> None:
    """Sets the folder from which the user opens files: Pulumi runs programs in another one."""
    _shown_from[-1] = folder


def read_yaml(path: Path, *, what: str) -> YamlFile:
    """The mapping in a file. what: the expected content, for the message. Raises InputError."""
    source = shown_path(path)
    try:
        found = read(path)
    except FileNotFoundError:
        raise InputError(source, [f"no such file{_neighbours(path)}"]) from None
    except (IsADirectoryError, NotADirectoryError):
        raise InputError(source, [f"is not a file; give one{_neighbours(path / '_')}"]) from None
    except OSError as error:
        raise InputError(source, [f"can't be read: {error.strerror}"]) from None
    except BadYaml as error:
        raise InputError(source, [f"{error}; {what}" if "nested" in str(error) else str(error)]) from None
    if not isinstance(found.root, yaml.MappingNode):
        seen = "is empty" if found.data is None else "is not a mapping"
        raise InputError(source, [f"{seen}; {what}"])
    return YamlFile(source, found.root, cast(dict[Any, Any], found.data), found.faults)


def _neighbours(path: Path) -> str:
    folder = path.parent
    names = sorted(other.name for other in folder.glob("*.yaml")) if folder.is_dir() else []
    found = f"; found there: {', '.join(names)}" if names else ""
    return did_you_mean(path.name, names) or found


Spec = TypeVar("Spec", bound=Model)
Read = TypeVar("Read", bound=Model, covariant=True)

_WHAT = "a spec is a mapping that starts with name: and training:; `gpucluster init` writes one"


class SpecSource(Protocol[Read]):
    """Where a spec is from."""

    def read(self) -> Read:
        """The spec. Raises InputError with every problem: the line, the field, the value seen, what to write."""
        ...

    def error(self, problems: Sequence[Problem]) -> InputError:
        """What a plan found wrong in a spec that could be read."""
        ...

    def what_if(self) -> list[str]:
        """Values that replace those of the spec in this preview; empty without any."""
        ...


@dataclass(frozen=True)
class SpecValues(Generic[Spec]):
    """A spec as plain values. load: returns them, with their lines; raises InputError. model: their type.

    name: the one it must have, None for any. path: of its file, None if a program states it.
    """

    load: Callable[[], YamlFile]
    model: type[Spec]
    name: str | None = None
    path: Path | None = None

    def read(self) -> Spec:
        file = self.load()
        data, _ = with_overrides(file.data, overrides())
        faults = list(file.faults)
        problems: list[tuple[int, str]] = []
        named: Any = data.get("name", self.name)
        if self.name is not None and named != self.name:
            line = line_of("name", file.root)
            problems.append((line, f"name is {named!r}, but the component is named {self.name!r}; use the same name"))
        try:
            spec = self.model.model_validate(data)
        except InvalidSpec as error:
            found = mistakes_of(error, file.root, self.model)
            problems += [(mistake.line, mistake.text) for mistake in found]
            # The field's own message is better: "write true, or "yes" for the text" does not help if it requires a
            # number.
            refused = {mistake.field for mistake in found}
            faults = [fault for fault in faults if fault.repeats or fault.name not in refused]
        else:
            if not faults and not problems:
                if self.path is not None:
                    hand_over(f"spec-{named}", str(self.path.resolve()))
                return spec
        raise _error(file, [*((fault.line, fault.text) for fault in faults), *problems])

    def error(self, problems: Sequence[Problem]) -> InputError:
        file = self.load()
        return _error(file, [(line_of(problem.field, file.root), str(problem)) for problem in problems])

    def what_if(self) -> list[str]:
        values = overrides()
        return with_overrides(self.load().data, values)[1] if values else []


def spec_file(path: Path, model: type[Spec], name: str | None = None) -> SpecValues[Spec]:
    """The spec in a YAML file."""
    return SpecValues(partial(read_yaml, path, what=_WHAT), model, name, path)


def stack_spec(path: Path) -> SpecValues[StackSpec]:
    """The spec of a stack, in a YAML file."""
    return spec_file(path, StackSpec)


def read_spec(path: Path) -> ClusterSpec:
    """The spec in a YAML file, a stack's or not. Raises InputError with every problem."""
    return spec_file(path, ClusterSpec).read()


def _error(file: YamlFile, problems: list[tuple[int, str]]) -> InputError:
    return InputError(file.source, [f"line {line}: {text}" if line else text for line, text in sorted(problems)])


SET_VARIABLE: Final = "GPUCLUSTER_SET"
"""Holds other values for a spec, for one preview, as a JSON object with string values, `{"training.nodes": "8"}`, each
as the spec has it. `gpucluster cost report --run ... --set nodes=8` sets it, and reads `whatIf` in the facts of the
cluster.
"""
_FIRST: Final = "training."
"""The part that takes precedence if a short name is in several."""


def overrides() -> Mapping[str, str]:
    """Name -> text, from the environment. Raises InputError if it cannot be read."""
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


def with_overrides(data: dict[Any, Any], values: Mapping[str, str]) -> tuple[dict[Any, Any], list[str]]:
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
            changes.append(f"{path} is {text}, {_value_before(data, steps)}")
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


def _value_before(values: Any, path: Sequence[str]) -> str:
    """A text about the value at a path."""
    for step in path:
        if not isinstance(values, dict) or step not in values:
            return "not set in the spec"
        values = cast(dict[Any, Any], values)[step]
    if isinstance(values, dict | list):
        return "different in the spec"
    return f"{values if isinstance(values, str) else shown_value(values)} in the spec"
