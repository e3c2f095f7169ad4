"""Every mistake in a spec in the user's terms: the field, the value as written, the allowed values."""

from __future__ import annotations

import datetime
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, cast, get_args, get_origin

import yaml
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from gpucluster.components.planning.problem import BadSpecValue, Problem, did_you_mean
from gpucluster.core.text.values import cut, shown_value
from gpucluster.core.text.yaml_text import construct, shown
from gpucluster.errors import InputError

_READ_AS = {"timestamp": "a day", "int": "a number", "float": "a number"}
_TRUE = {"yes", "true", "on"}
_CONTAINERS: Final = (Mapping, list, tuple)
_SCALARS: Final = (str, int, float, Decimal, datetime.date)
_KEY: Final = "[key]"
"""Last step of pydantic's location of the name of an entry, as opposed to its value."""

Location = tuple[str | int, ...]


class InvalidSpec(InputError, ValueError):
    """Everything that is wrong with the values of a model. mistakes: as from pydantic."""

    def __init__(self, model: type[BaseModel], error: ValidationError) -> None:
        # pydantic counts the valid items only: too few remain if others have mistakes, which are reported.
        found = error.errors(include_url=False)
        self.mistakes = tuple(one for one in found if one["type"] != "too_short" or not one["input"])
        super().__init__(model.__name__, [mistake.text for mistake in mistakes_of(self, None, model)])


class Mistake(NamedTuple):
    """line: 0 for none. field: full name, empty for the whole spec."""

    line: int
    field: str
    text: str


def mistakes_of(error: InvalidSpec, root: yaml.Node | None, model: type[BaseModel]) -> list[Mistake]:
    """Every mistake, once. root: the values with their lines, None if they are from Python. model: of the spec."""
    found = (mistake for details in error.mistakes for mistake in _mistakes(root, model, details))
    return list(dict.fromkeys(found))


def line_of(name: str, root: yaml.Node | None) -> int:
    """The line of a field by its full name, such as access.admins[0]: its own, else its parent's, else 0."""
    line, node = 0, root
    for step in re.findall(r"[^.\[\]]+", name):
        line, node = _child(node, step) or (line, None)
    return line


def _mistakes(root: yaml.Node | None, model: type[BaseModel], details: ErrorDetails) -> Iterator[Mistake]:
    loc, kind, value = details["loc"], details["type"], details["input"]
    if kind == "union_tag_invalid":
        loc, value = (*loc, "kind"), value["kind"]
    elif kind == "invalid_key":  # a name that YAML reads as something other than text, such as 7 or a day
        name = repr(value) if type(value) in (tuple, bytes) else shown_value(value)
        loc, kind = (*loc[:-1], name), "extra_forbidden"
    if kind != "value_error":
        place = _find(root, model, loc, value)
        yield Mistake(place.line, place.name, _text(place, kind).strip())
        return
    error: ValueError = details.get("ctx", {})["error"]
    place = _find(root, model, loc, value)
    if loc[-1:] == (_KEY,):
        name = _find(root, model, loc[:-2], None).name
        yield Mistake(_find(root, model, loc[:-1], None).line, name, f"{name}: {error}")
        return
    for problem in error.problems if isinstance(error, BadSpecValue) else (Problem("", str(error)),):
        if not loc:
            yield Mistake(line_of(problem.field, root), problem.field, str(problem))
        elif problem.field:
            members = cast(Mapping[Any, Any], details["input"]).items()
            member = next((member for key, member in members if str(key) == problem.field), None)
            inner = _find(root, model, (*loc, problem.field), member)
            text = _not_text(inner) or f"{inner.name} is {inner.seen}; {problem.fix}"
            yield Mistake(inner.line, inner.name, text)
        else:
            seen = "" if isinstance(value, _CONTAINERS) else f" is {place.seen}: it"
            yield Mistake(place.line, place.name, f"{place.name}{seen or ':'} {problem}")


@dataclass(frozen=True)
class _Place:
    """A place in a spec. top: model of the spec. field: steps of its name. line: 0 for none. value: as given, None if
    absent. node: the same as written in a file. models: possible models of its mapping, several if a kind decides.
    wanted, info: type and description of the field.
    """

    top: type[BaseModel]
    field: Location
    line: int
    value: Any
    node: yaml.Node | None
    models: tuple[type[BaseModel], ...]
    wanted: Any
    info: FieldInfo | None

    @property
    def name(self) -> str:
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.field)
        return "".join(steps).removeprefix(".")

    @property
    def seen(self) -> str:
        """The value as written, unless it is a secret."""
        if isinstance(self.value, _CONTAINERS):
            return "a mapping" if isinstance(self.value, Mapping) else "a list"
        if is_secret(self.wanted):
            return "a hidden value"
        if self.node is not None:
            return shown(self.node)
        if isinstance(self.value, _SCALARS):
            return cut(repr(self.value) if isinstance(self.value, str) else str(self.value))
        return "empty" if self.value is None else f"of type {type(self.value).__name__}"


def _find(root: yaml.Node | None, model: type[BaseModel], loc: Location, value: Any) -> _Place:
    """The place of a location, in which the kind that a union chose is a step."""
    field: list[str | int] = []
    models: tuple[type[BaseModel], ...] = (model,)
    inner, node, line, wanted, info = models, root, 0, model, None
    for step in loc:
        if len(inner) > 1 and step in _kinds(inner):
            inner = tuple(model for model in inner if step in _kinds((model,)))
            continue
        models = inner
        field.append(step)
        if get_origin(wanted) is dict:  # from names, which are the user's, to values of one kind
            models, wanted, info = (), get_args(wanted)[1], None
        elif isinstance(step, str):
            info = next((model.model_fields[step] for model in models if step in model.model_fields), None)
            wanted = info.annotation if info else None
        else:
            wanted, info = next(iter(get_args(wanted)), None), None
        inner = tuple(_models_in(wanted))
        line, node = _child(node, step) or (line, None)
    # With another value for this preview, the one in the file is not the value.
    written = node if isinstance(node, yaml.ScalarNode) and repr(construct(node)) == repr(value) else None
    return _Place(model, tuple(field), line, value, written, models, wanted, info)


def _child(node: yaml.Node | None, step: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):
            if key.value == str(step):
                return key.start_mark.line + 1, value
    elif isinstance(node, yaml.SequenceNode) and str(step).isdecimal() and int(step) < len(node.value):
        value = node.value[int(step)]
        return value.start_mark.line + 1, value
    return None


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def _kinds(models: tuple[type[BaseModel], ...]) -> list[str]:
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


def is_secret(annotation: Any) -> bool:
    """Whether values of this type are never shown."""
    return annotation is SecretStr or any(map(is_secret, get_args(annotation)))


def _text(place: _Place, kind: str) -> str:
    """kind: of pydantic's error."""
    match kind:
        case "extra_forbidden":
            return f"{place.name} is not a field{_instead(place)}"
        case "missing":
            return f"{place.name} is missing; add it: {_wanted(place.wanted, place.info)}"
        case "union_tag_not_found" if isinstance(place.value, Mapping):
            return f"{place.name} has no kind; add kind: {' or '.join(_kinds(tuple(_models_in(place.wanted))))}"
        case "union_tag_invalid" | "literal_error":
            choices = _kinds(place.models) if kind == "union_tag_invalid" else _choices(place.wanted)
            allowed = list(map(str, choices))
            near = did_you_mean(place.value, allowed) if isinstance(place.value, str) else ""
            return f"{place.name} is {place.seen}; allowed: {', '.join(allowed)}{near}"
        case _:
            seen = place.seen
            if kind == "too_short":
                seen = "empty" if isinstance(place.value, Mapping) else "an empty list"
            not_text = _not_text(place) if kind == "string_type" else _not_plain(place)
            return not_text or f"{place.name} is {seen}; write {_wanted(place.wanted, place.info)}"


def _not_plain(place: _Place) -> str | None:
    """For a value that no file can have, such as an Output, which is unknown in a preview."""
    if place.value is None or isinstance(place.value, (*_CONTAINERS, *_SCALARS)):
        return None
    known = "use a string, number, boolean, list or mapping with a value known before the update"
    return f"{place.name} is {place.seen}; {known}"


def _not_text(place: _Place) -> str | None:
    """For a value that looks like text and that YAML reads as something else, such as `no`."""
    if place.value is None or isinstance(place.value, (str, *_CONTAINERS)) or is_secret(place.wanted):
        return None
    if unknown := _not_plain(place):
        return unknown
    if place.node is None:
        return f"{place.name} is {place.seen}, not a string; write {str(place.value)!r}"
    kind = place.node.tag.rpartition(":")[2]
    read_as = _READ_AS.get(kind, "true" if str(place.node.value).lower() in _TRUE else "false")
    return f'{place.name} is {place.seen}, which YAML reads as {read_as}; put it in quotes: "{place.seen}"'


def _instead(place: _Place) -> str:
    """The allowed fields here, or the place of the unknown field."""
    name = str(place.field[-1])
    allowed = sorted({field for model in place.models for field in model.model_fields})
    homes = list(_homes(name, place.top, ""))
    if homes:
        return f"; {name} belongs {' or '.join(homes)}; here: {', '.join(allowed)}"
    return did_you_mean(name, allowed) or f"; allowed: {', '.join(allowed)}"


def _homes(name: str, model: type[BaseModel], at: str) -> Iterator[str]:
    """Where in a spec a field has this name."""
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
        inner = FieldInfo.from_annotation(annotation)
        annotation, info = inner.annotation, inner if _limits(inner) else info
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
    if get_origin(annotation) is dict and int in get_args(get_args(annotation)[1]):
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
        return _string(info)
    return "a mapping from names to strings"


def _limits(info: FieldInfo) -> dict[str, Any]:
    """Limits by their names in the arguments of Field."""
    names = ("ge", "gt", "le", "lt", "decimal_places", "min_length", "max_length", "pattern")
    return {name: limit for one in info.metadata for name in names if (limit := getattr(one, name, None)) is not None}


def _range(info: FieldInfo | None) -> str:
    limits = {} if info is None else _limits(info)
    forms = {
        "ge": "from {:,}" if "le" in limits else "of at least {:,}",
        "gt": "above {:,}",
        "le": "to {:,}" if "ge" in limits else "and at most {:,}",
        "lt": "below {:,}",
        "decimal_places": "with at most {} decimals",
    }
    return "".join(f" {form.format(limits[name])}" for name, form in forms.items() if name in limits)


def _string(info: FieldInfo | None) -> str:
    if info is None:
        return "strings"
    limits = _limits(info)
    least, most = limits.get("min_length", 0), limits.get("max_length")
    if "pattern" in limits and info.description:
        return info.description.rpartition(": ")[2]
    if info.examples:
        return f"a string such as {info.examples[0]}"
    if least and most is not None:
        return f"a string of {least} to {most} characters"
    if least > 1:
        return f"a string of at least {least} characters"
    return "a string"
