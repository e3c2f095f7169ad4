"""What the sandbox invents: without an account, only the form of a data source's answer is known, or of a resource that
exists outside of the program.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from gpucluster.core.text.type_guards import is_object, items
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.types.schema import Property, ResourceType
from gpucluster.sandbox.clouds.types.values import forgotten


class Inventions:
    """Those of one command."""

    def __init__(self) -> None:
        self.reads = False
        """Whether resources are invented that a program reads or imports, and the sandbox does not have."""
        self.texts: set[str] = set()
        self.looked_up: set[str] = set()
        """They, and the ends of paths with a name that a program has looked up."""
        self._read: set[str] = set()

    def answer(self, type_: ResourceType, args: Mapping[str, Any]) -> dict[str, Any]:
        """Of a data source."""
        found = made_up(type_, args)
        self.texts |= _invented(found) - _invented(args)
        self.looked_up |= self.texts
        self.looked_up |= {f"/{name}" for key, name in args.items() if key.lower().endswith("name") and name}
        return found

    def read(self, type_: ResourceType, id_: str, place: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs of a resource with this id. place: where it is."""
        self._read.add(id_)
        return {**self.answer(type_, {**place, "id": id_}), "id": id_}

    def is_imported(self, resource: Resource) -> bool:
        """Whether only the program says what the resource is."""
        return resource.id in self._read and not resource.old_inputs

    def judged(self, resource: Resource) -> Resource:
        """What a cloud can judge of a resource: what contains an invented text is unknown."""
        texts = [*self.texts]  # other threads add to them
        return replace(resource, inputs=forgotten(resource.inputs, texts)) if texts else resource


_SCALARS: Final = ("str", "int", "float", "bool")
_LISTED: Final = 2
"""Items in an invented list of texts or numbers: programs that use the first, or the first two, find them. A list of
objects has one."""


def made_up(function: ResourceType, args: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs of a data source, by their types.

    A text is its field's name and twelve digits, an id the noun of the data source and seventeen, as in EC2.
    """
    digits = hashlib.sha256(json.dumps([function.token, args], sort_keys=True, default=str).encode()).hexdigest()
    noun = re.sub(r"^(get|list)", "", function.token.rsplit(":", 1)[-1]).lower()
    maker = _Maker(function, noun, digits)
    answer = {name: maker.value(name, prop) for name, prop in function.outputs.items()}
    requested = {name: value for name, value in args.items() if value is not None and name in answer}
    return {**answer, **{name: _of_type(function.outputs[name].type, value) for name, value in requested.items()}}


def _invented(value: Any) -> set[str]:
    """The texts in a value that have the form of those in an invented answer."""
    if isinstance(value, str):
        return {value} if re.search(r"-(?:[0-9a-f]{12}|[0-9a-f]{17})$", value) else set()
    inner = value.values() if is_object(value) else items(value)
    return {text for each in inner for text in _invented(each)}


def _of_type(type_: Any, value: Any) -> Any:
    """Providers parse a text as a boolean or a number if they need one, and return the parsed value."""
    if not isinstance(value, str) or type_ not in ("bool", "int", "float"):
        return value
    try:
        return value == "true" if type_ == "bool" else float(value)
    except ValueError:
        return value


class _Maker:
    def __init__(self, function: ResourceType, noun: str, digits: str) -> None:
        self._function = function
        self._noun = noun
        self._digits = digits
        self._within: list[str] = []
        """The types around the value, which a list does not repeat."""

    def value(self, name: str, prop: Property) -> Any:
        return self._of_type(name, prop.type) if prop.required else None

    def _of_type(self, name: str, type_: Any, at: int = 0) -> Any:
        if isinstance(type_, str):
            return {"str": self._text(name, at), "int": 0, "float": 0, "bool": False}.get(type_)
        ((kind, inner),) = type_.items()
        match kind:
            case "list":
                listed = _LISTED if inner in _SCALARS else int(str(inner) not in self._within)
                return [self._of_type(name.removesuffix("s"), inner, at) for at in range(listed)]
            case "map":
                return {}
            case "const":
                return inner
            case "enum":
                return inner[0]
            case "ref":
                self._within.append(str({kind: inner}))
                found = {each: self.value(each, prop) for each, prop in self._function.types[inner].items()}
                self._within.pop()
                return found
            case _:
                return self._of_type(name, inner[0], at)

    def _text(self, name: str, at: int) -> str:
        digits = self._digits[at : at + 17]
        if name == "id":
            return f"{self._noun.removesuffix('s')}-{digits}"
        if name.endswith("Id"):
            return f"{name.removesuffix('Id').lower()}-{digits}"
        return f"{name}-{digits[:12]}"
