"""The base of every JSON document, and the JSON Schemas made of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from gpucluster.core.text.json_text import schema_of

Maybe = Annotated[str | None, AfterValidator(lambda text: text or None)]
"""A text; null instead of an empty one."""


class Model(BaseModel):
    """A part of a document, made of keywords or of the attributes of an object."""

    model_config = ConfigDict(from_attributes=True, extra="forbid", frozen=True, populate_by_name=True)


class Versioned(Model):
    """What a command writes with --format json."""

    schema_version: Literal[2] = 2
    """Raised if a field changes its meaning or is removed."""
    schema_minor: int = 0
    """Of one document: raised by each change that adds fields to it; 0 again with a new schema_version."""


def command_schema(model: type[Model], command: str) -> dict[str, Any]:
    """JSON Schema of what a command writes with --format json, made of its type."""
    return {**schema_of(model), "title": f"gpucluster {command} --format json"}
