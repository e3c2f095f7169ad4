"""What every part of a spec is. Imports no Pulumi."""

from pydantic import BaseModel, ConfigDict

__all__ = ["Model"]


class Model(BaseModel):
    """A part of the spec: unknown keys are errors, values never change."""

    # A part is built within the whole spec; by itself only where it is used by itself.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
