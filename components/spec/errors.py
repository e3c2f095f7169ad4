"""Every mistake in a spec in the user's terms: the field, the value as written, the allowed values."""

from __future__ import annotations

import datetime
import re
import types
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, cast, get_args, get_origin

import yaml
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import BadSpecValue, Problem
from gpucluster.errors import InputError
from gpucluster.record import record
from gpucluster.textio.values import cut, shown_value
from gpucluster.textio.yaml_text import construct, shown

_READ_AS = {"timestamp": "a day", "int": "a number", "float": "a number"}
_TRUE = {"yes", "true", "on"}
_KEY: Final = "[key]"
"""Last step of pydantic's location of the name of an entry, as opposed to its value."""

Location = tuple[str | int, ...]


class InvalidSpec(InputError, ValueError):
    """Everything that is wrong with the values of a model. mistakes: as from pydantic. values: as given."""

    def __init__(self, model: type[BaseModel], error: ValidationError, values: Any) -> None:
        # pydantic counts the valid items only: too few remain if others have mistakes, which are reported.
        found = error.errors(include_url=False)
        self.mistakes = tuple(one for one in found if one["type"] != "too_short" or not one["input"])
        texts = [mistake.text for mistake in mistakes_of(self, None, values, model)]
        super().__init__(model.__name__, texts)


class Mistake(NamedTuple):
    """line: 0 for none. field: full name, empty for the whole spec."""

    line: int
    field: str
    text: str


def mistakes_of(error: InvalidSpec, root: yaml.Node | None, values: Any, model: type[BaseModel]) -> list[Mistake]:
    """Every mistake, once. root: the values with their lines, None if they are from Python. model: of the spec."""
    spec = _Spec(model, values, root)
    return list(dict.fromkeys(mistake for details in error.mistakes for mistake in _mistakes(spec, details)))


def line_of(name: str, root: yaml.Node | None, model: type[BaseModel]) -> int:
    """The line of a field by its full name, such as access.admins[0]: its own, else its parent's, else 0."""
    steps = re.findall(r"[^.\[\]]+", name)
    loc = tuple(int(step) if step.isdigit() else step for step in steps)
    return _find(_Spec(model, None, root), loc, kinds=False).line


class _Spec(NamedTuple):
    model: type[BaseModel]
    values: Any
    root: yaml.Node | None


def _mistakes(spec: _Spec, details: ErrorDetails) -> Iterator[Mistake]:
    loc, kind = details["loc"], details["type"]
    if kind == "value_error":
        yield from _of_a_rule(spec, loc, details.get("ctx", {})["error"])
    elif kind == "invalid_key":
        # Names that YAML reads as something other than text, such as 7 or a day.
        for key in _find(spec, loc[:-1]).value:
            if not isinstance(key, str):
                place = _find(spec, (*loc[:-1], shown_value(key)))
                yield Mistake(place.line, place.name, f"{place.name} is not a field{_instead(place)}")
    else:
        place = _find(spec, (*loc, "kind") if kind == "union_tag_invalid" else loc)
        yield Mistake(place.line, place.name, _text(place, kind).strip())


def _of_a_rule(spec: _Spec, loc: Location, error: ValueError) -> Iterator[Mistake]:
    """A rule's problems with the value at `loc`, or with a member of it."""
    if loc[-1:] == (_KEY,):
        name = _find(spec, loc[:-2]).name
        yield Mistake(_find(spec, loc[:-1]).line, name, f"{name}: {error}")
        return
    place = _find(spec, loc)
    for problem in error.problems if isinstance(error, BadSpecValue) else (Problem("", str(error)),):
        if not loc:
            line = line_of(problem.field, spec.root, spec.model)
            yield Mistake(line, problem.field, str(problem))
        elif problem.field:
            inner = _find(spec, (*loc, problem.field))
            text = _not_text(inner) or f"{inner.name} is {inner.seen}; {problem.fix}"
            yield Mistake(inner.line, inner.name, text)
        elif isinstance(place.value, Mapping | list | tuple):
            yield Mistake(place.line, place.name, f"{place.name}: {problem}")
        else:
            yield Mistake(place.line, place.name, f"{place.name} is {place.seen}: it {problem}")


@record(kw_only=True)
class _Place:
    """A place in a spec. line: 0 for none. value: None if absent. node: the value in a file, as written. models:
    possible models of its mapping, several if a kind decides. wanted, info: type and description of the field.
    """

    spec: _Spec
    field: Location
    line: int
    value: Any
    node: yaml.Node | None
    models: tuple[type[BaseModel], ...]
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
        """The value as written, unless it is a secret."""
        if is_secret(self.wanted) and not isinstance(self.value, Mapping | list | tuple):
            return "a hidden value"
        return _shown(self.value) if self.node is None else shown(self.node)


def _shown(value: Any) -> str:
    """A value from Python."""
    if isinstance(value, Mapping | list | tuple):
        return "a mapping" if isinstance(value, Mapping) else "a list"
    if value is None:
        return "empty"
    if isinstance(value, str | int | float | Decimal | datetime.date):
        return cut(repr(value) if isinstance(value, str) else str(value))
    return f"of type {type(value).__name__}"


def _find(spec: _Spec, loc: Location, *, kinds: bool = True) -> _Place:
    """The place of a location. kinds: whether the kind that a union chose is a step; a field may have the same name."""
    field: list[str | int] = []
    models: tuple[type[BaseModel], ...] = (spec.model,)
    inner, value, node, line, wanted, info = models, spec.values, spec.root, 0, spec.model, None
    for step in loc:
        if kinds and len(inner) > 1 and step in _kinds(inner):
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
        value = _member(value, step)
        line, node = _child(node, step) or (line, None)
    if isinstance(node, yaml.ScalarNode) and repr(construct(node)) != repr(
        value
    ):  # another value is set for this preview
        node = None
    return _Place(
        spec=spec,
        field=tuple(field),
        line=line,
        value=value,
        node=node,
        models=models,
        wanted=wanted,
        info=info,
    )


def _member(value: Any, step: str | int) -> Any:
    if isinstance(value, Mapping):
        members = cast(Mapping[Any, Any], value).items()
        return next((member for key, member in members if str(key) == str(step)), None)
    items = cast("list[Any]", value) if isinstance(value, list | tuple) else []
    return items[step] if isinstance(step, int) and step < len(items) else None


def _child(node: yaml.Node | None, step: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):
            if key.value == str(step):
                return key.start_mark.line + 1, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        value = node.value[step]
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
        case "string_type":
            return _not_text(place) or f"{place.name} is {place.seen}; write {_wanted(place.wanted, place.info)}"
        case "too_short":
            empty = "empty" if isinstance(place.value, Mapping) else "an empty list"
            return f"{place.name} is {empty}; write {_wanted(place.wanted, place.info)}"
        case _:
            return f"{place.name} is {place.seen}; write {_wanted(place.wanted, place.info)}"


def _not_text(place: _Place) -> str | None:
    """For a value that looks like text and that YAML reads as something else, such as `no`."""
    if isinstance(place.value, str | Mapping | list | tuple | None) or is_secret(place.wanted):
        return None
    if not isinstance(place.node, yaml.ScalarNode):
        return f"{place.name} is {place.seen}, not a string; write {str(place.value)!r}"
    kind = place.node.tag.rpartition(":")[2]
    read_as = _READ_AS.get(kind, "true" if str(place.node.value).lower() in _TRUE else "false")
    return f'{place.name} is {place.seen}, which YAML reads as {read_as}; put it in quotes: "{place.seen}"'


def _instead(place: _Place) -> str:
    """What may stand here, or where the unknown field belongs."""
    name = str(place.field[-1])
    allowed = sorted({field for model in place.models for field in model.model_fields})
    homes = list(_homes(name, place.spec.model, ""))
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
