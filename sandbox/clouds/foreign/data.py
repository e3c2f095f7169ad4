"""A substitute for the answer of a data source: without an account only its form is known.

The program's arguments are returned unchanged. Equal arguments give equal answers, so that a second preview shows no
change.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.schema import Property, ResourceType

_SCALARS: Final = ("str", "int", "float", "bool")
_LISTED: Final = 2
"""Items in an invented list: programs that use the first, or the first two, find them."""


def made_up(function: ResourceType, args: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs of a data source, by their types.

    A text is its field's name and twelve digits, an id the noun of the data source and seventeen, as in EC2.
    """
    digits = hashlib.sha256(json.dumps([function.token, args], sort_keys=True, default=str).encode()).hexdigest()
    noun = re.sub(r"^(get|list)", "", function.token.rsplit(":", 1)[-1]).lower()
    maker = _Maker(function, noun, digits)
    answer = {name: maker.value(name, prop) for name, prop in function.outputs.items()}
    asked = {name: value for name, value in args.items() if value is not None and name in answer}
    return {**answer, **{name: _of_type(function.outputs[name].type, value) for name, value in asked.items()}}


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

    def value(self, name: str, prop: Property) -> Any:
        return self._of_type(name, prop.type) if prop.required else None

    def _of_type(self, name: str, type_: Any, at: int = 0) -> Any:
        if isinstance(type_, str):
            return {"str": self._text(name, at), "int": 0, "float": 0, "bool": False}.get(type_)
        ((kind, inner),) = type_.items()
        match kind:
            case "list":
                simple = inner in _SCALARS
                return [self._of_type(name.removesuffix("s"), inner, at) for at in range(_LISTED)] if simple else []
            case "map":
                return {}
            case "const":
                return inner
            case "enum":
                return inner[0]
            case "ref":
                properties = self._function.types[inner]
                return {each: self.value(each, prop) for each, prop in properties.items()}
            case _:
                return self._of_type(name, inner[0], at)

    def _text(self, name: str, at: int) -> str:
        digits = self._digits[at : at + 17]
        if name == "id":
            return f"{self._noun.removesuffix('s')}-{digits}"
        if name.endswith("Id"):
            return f"{name.removesuffix('Id').lower()}-{digits}"
        return f"{name}-{digits[:12]}"
