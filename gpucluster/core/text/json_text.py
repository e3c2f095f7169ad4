"""Reads JSON of other tools, and describes its errors in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # few commands need them
    from pydantic import BaseModel
    from pydantic.json_schema import JsonSchemaMode

_ESCAPED: Final = re.compile(r"\\u[dD][89a-fA-F]")


class BadJson(ValueError):
    """A text that is invalid JSON, or unsupported; the message gives the line, if any."""


def parse(text: str) -> Any:
    """The value of a text. Raises BadJson, whose message follows the text's name: `is not JSON (line 3: ...)`."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadJson(f"is not JSON (line {error.lineno}: {error.msg})") from None
    except RecursionError:
        raise BadJson("is nested too deeply") from None
    except ValueError:
        raise BadJson("has a number of too many digits") from None  # Python's limit is some 4,300
    return _whole(value) if _ESCAPED.search(text) else value


def indented(document: Mapping[str, Any] | BaseModel) -> str:
    """`json.dumps(document, indent=2)` in a quarter of the time: the standard library indents in Python."""
    # Imported late: few commands write JSON, and it takes 30 ms.
    from pydantic_core import PydanticSerializationError, to_json

    try:
        return to_json(document, indent=2, ensure_ascii=True).decode()
    except PydanticSerializationError:  # a lone surrogate, which Python uses for bytes in file names
        return json.dumps(document if isinstance(document, Mapping) else document.model_dump(by_alias=True), indent=2)


def schema_of(model: type[BaseModel], mode: JsonSchemaMode = "serialization") -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what is written from a model; in the mode `validation`, of what is read."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema(mode=mode)}


def _whole(value: Any) -> Any:
    """A lone surrogate becomes the replacement character, as in Go's encoding/json."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.loads(text)
