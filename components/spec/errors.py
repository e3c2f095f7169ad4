"""Says what is wrong with a spec in the user's words: the field, the value as written, what to write instead."""

from __future__ import annotations

import datetime
import re
import types
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import yaml

from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import BadSpecValue, Problem
from gpucluster.components.python_values import PYTHON
from gpucluster.components.spec.fields import FieldInfo, SecretStr, ValidationError, is_secret
from gpucluster.components.spec.model import KEY, Model
from gpucluster.record import record
from gpucluster.textio.yaml_text import shown

_READ_AS = {"timestamp": "a day", "int": "a number", "float": "a number"}
_TRUE = {"yes", "true", "on"}


class Told(NamedTuple):
    """A problem in words. line: 0 for none. field: full name of what it is about, empty for the whole spec."""

    line: int
    field: str
    text: str


def problems_of(error: ValidationError, root: yaml.Node, model: type[Model]) -> list[Told]:
    """Every problem, once. model: of the whole spec."""
    found: list[Told] = []
    for mistake in error.mistakes:
        if mistake.kind == "no text":
            found += _no_texts(mistake.loc[:-1], root, model)
        elif mistake.error is not None:
            found += _said_by_the_spec(mistake.loc, mistake.error, root, model)
        else:
            place = _find((*mistake.loc, "kind") if mistake.kind == "wrong kind" else mistake.loc, root, model)
            found.append(Told(place.line, place.name, _say(place, mistake.kind)))
    return list(dict.fromkeys(found))


def _no_texts(loc: tuple[str | int, ...], root: yaml.Node, model: type[Model]) -> Iterator[Told]:
    """The names in one mapping that YAML reads as something other than text, such as 7 or a day."""
    node = _find(loc, root, model).node
    for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
        if key.tag != "tag:yaml.org,2002:str":
            place = _find((*loc, str(key.value)), root, model)
            yield Told(place.line, place.name, f"{place.name} is not a field{_instead(place)}")


def line_of(name: str, root: yaml.Node, model: type[Model]) -> int:
    """The line of a field by its full name, such as access.admins[0]: its own, else its parent's, else 0."""
    steps = re.findall(r"[^.\[\]]+", name)
    return _find(tuple(int(step) if step.isdigit() else step for step in steps), root, model, kinds=False).line


def _said_by_the_spec(
    loc: tuple[str | int, ...], error: ValueError, root: yaml.Node, model: type[Model]
) -> Iterator[Told]:
    """The problems of a rule of the spec's own: with the value at `loc`, or with one inside of it."""
    if loc[-1:] == (KEY,):
        name = _find(loc[:-2], root, model).name
        yield Told(_find(loc[:-1], root, model).line, name, f"{name}: {error}")
        return
    place = _find(loc, root, model)
    for problem in error.problems if isinstance(error, BadSpecValue) else (Problem("", str(error)),):
        if not loc:
            yield Told(line_of(problem.field, root, model), problem.field, str(problem))
        elif problem.field:
            inner = _find((*loc, problem.field), root, model)
            text = _not_text(inner) or f"{inner.name} is {inner.seen}; {problem.fix}"
            yield Told(inner.line, inner.name, text)
        elif isinstance(place.node, yaml.ScalarNode):
            yield Told(place.line, place.name, f"{place.name} is {place.seen}: it {problem}")
        else:
            yield Told(place.line, place.name, f"{place.name}: {problem}")


@record
class _Place:
    """A place of the file. top: the model of the whole. models: what its mapping may be, several where a kind chooses.
    node: None when absent.
    """

    top: type[Model]

    field: tuple[str | int, ...]
    line: int
    node: yaml.Node | None
    models: tuple[type[Model], ...]
    wanted: Any
    info: FieldInfo | None

    @property
    def name(self) -> str:
        text = ""
        for step in self.field:
            text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
        return text

    @property
    def seen(self) -> str:
        """The value as it stands in the file, but for a secret."""
        if is_secret(self.wanted) and isinstance(self.node, yaml.ScalarNode):
            return "a hidden value"
        return shown(self.node)


def _find(loc: tuple[str | int, ...], root: yaml.Node, model: type[Model], *, kinds: bool = True) -> _Place:
    """The place of a location. kinds: whether the kind that a union chose is a step; a field may have the same name."""
    field: list[str | int] = []
    models: tuple[type[Model], ...] = (model,)
    inner, node, line, wanted, info = models, root, 0, None, None
    for step in loc:
        if kinds and len(inner) > 1 and step in _kinds(inner):
            inner = tuple(model for model in inner if step in _kinds((model,)))
            continue
        models = inner
        field.append(step)
        if get_origin(wanted) is dict:  # from names, which are the user's, to values of one kind
            models, wanted, info = (), get_args(wanted)[1], None
        elif isinstance(step, str):
            fields = [model.model_fields[step] for model in models if step in model.model_fields]
            info = fields[0] if fields else None
            wanted = info.annotation if info else None
        else:
            wanted, info = next(iter(get_args(wanted)), None), None
        inner = tuple(_models_in(wanted))
        child = _child(node, step)
        if child is None:
            node = None
        else:
            line, node = child
    return _Place(model, tuple(field), line, node, models if loc else (model,), wanted, info)


def _child(node: yaml.Node | None, step: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):
            if key.value == str(step):
                return key.start_mark.line + 1, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        value = node.value[step]
        return value.start_mark.line + 1, value
    return None


def _models_in(annotation: Any) -> Iterator[type[Model]]:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def _kinds(models: tuple[type[Model], ...]) -> list[str]:
    """The kinds that choose among several models."""
    return [
        kind
        for model in models
        if "kind" in model.model_fields
        for kind in get_args(model.model_fields["kind"].annotation)
    ]


def _choices(annotation: Any) -> Iterator[Any]:
    """What a literal allows, also inside an optional one."""
    for part in get_args(annotation):
        yield from (part,) if get_origin(annotation) is Literal else _choices(part)


def _say(place: _Place, kind: str) -> str:
    match kind:
        case "unknown":
            return f"{place.name} is not a field{_instead(place)}"
        case "missing":
            return f"{place.name} is missing; add it: {_wanted(place.wanted, place.info)}"
        case "no kind":
            return f"{place.name} has no kind; add kind: {' or '.join(_kinds(tuple(_models_in(place.wanted))))}"
        case "wrong kind":
            allowed = _kinds(place.models)
            return f"{place.name} is {place.seen}; allowed: {', '.join(allowed)}{_near(place, allowed)}"
        case "choice":
            allowed = [str(choice) for choice in _choices(place.wanted)]
            return f"{place.name} is {place.seen}; allowed: {', '.join(allowed)}{_near(place, allowed)}"
        case "text":
            return _not_text(place) or f"{place.name} is {place.seen}; write {_wanted(place.wanted, place.info)}"
        case "short" if isinstance(place.node, yaml.MappingNode | yaml.SequenceNode):
            empty = "empty" if isinstance(place.node, yaml.MappingNode) else "an empty list"
            return f"{place.name} is {empty}; write {_wanted(place.wanted, place.info)}"
        case _:
            return f"{place.name} is {place.seen}; write {_wanted(place.wanted, place.info)}"


def _not_text(place: _Place) -> str | None:
    """For a value that looks like text and that YAML reads as something else, such as `no`."""
    node = place.node
    if not isinstance(node, yaml.ScalarNode) or node.tag in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:null"):
        return None
    if node.start_mark.name == PYTHON:
        return f"{place.name} is {place.seen}, not a string; write {str(node.value)!r}"
    if is_secret(place.wanted):
        return None
    kind = node.tag.rpartition(":")[2]
    read_as = _READ_AS.get(kind, "true" if str(node.value).lower() in _TRUE else "false")
    return f'{place.name} is {place.seen}, which YAML reads as {read_as}; put it in quotes: "{place.seen}"'


def _near(place: _Place, allowed: list[str]) -> str:
    return did_you_mean(str(place.node.value), allowed) if isinstance(place.node, yaml.ScalarNode) else ""


def _instead(place: _Place) -> str:
    """What may stand here, or where the unknown field belongs."""
    name = str(place.field[-1])
    allowed = sorted({field for model in place.models for field in model.model_fields})
    homes = list(_homes(name, place.top, ""))
    if homes:
        return f"; {name} belongs {' or '.join(homes)}; here: {', '.join(allowed)}"
    return did_you_mean(name, allowed) or f"; allowed: {', '.join(allowed)}"


def _homes(name: str, model: type[Model], at: str) -> Iterator[str]:
    """Where in a spec a field of this name stands."""
    if name in model.model_fields:
        kind = _kinds((model,))
        chosen = f" of kind {kind[0]}" if kind else ""
        yield f"under {at}{chosen}" if at else "at the top of the spec"
    for field, info in model.model_fields.items():
        for inner in _models_in(info.annotation):
            yield from _homes(name, inner, f"{at}.{field}" if at else field)


def _wanted(annotation: Any, info: FieldInfo | None) -> str:
    """What a value of this type looks like, and its range."""
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        if len(parts) == 1:
            return _wanted(parts[0], info)
    models = list(_models_in(annotation))
    if get_origin(annotation) is tuple and info is not None and info.examples:
        return f"a list such as [{', '.join(map(str, info.examples[0]))}]"
    if get_origin(annotation) is tuple:
        return f"a list of {_wanted(get_args(annotation)[0], None)}"
    if get_origin(annotation) is dict and models:
        return f"a mapping from names to mappings with {', '.join(models[0].model_fields)}"
    if get_origin(annotation) is dict and get_args(annotation)[1] is int:
        return "a mapping from names to whole numbers"
    if models:
        kinds = _kinds(tuple(models)) if len(models) > 1 else []
        fields = ", ".join(models[0].model_fields)
        return f"a mapping with kind: {' or '.join(kinds)}" if kinds else f"a mapping with {fields}"
    if get_origin(annotation) is Literal:
        return " or ".join(str(choice) for choice in get_args(annotation))
    if annotation is int:
        if info is not None and info.examples and isinstance(info.examples[0], str):  # a quantity with a unit
            return f"a string such as {' or '.join(map(str, info.examples))}"
        return f"a whole number{_range(info)}"
    if annotation is Decimal:
        return f"a number{_range(info)}, in digits alone"
    if annotation is bool:
        return "true or false"
    if annotation is datetime.date:
        return "a day such as 2027-01-31"
    if annotation in (str, SecretStr):
        return _text(info)
    return "a mapping from names to strings"


def _range(info: FieldInfo | None) -> str:
    return f" {info.limits}" if info is not None and info.limits else ""


def _text(info: FieldInfo | None) -> str:
    if info is None:
        return "strings"
    if info.pattern and info.description:
        return info.description.rpartition(": ")[2]
    if info.examples:
        return f"a string such as {info.examples[0]}"
    if info.min_length is not None and info.max_length is not None:
        return f"a string of {info.min_length} to {info.max_length} characters"
    if info.min_length is not None and info.min_length > 1:
        return f"a string of at least {info.min_length} characters"
    return "a string"
