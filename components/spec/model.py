"""What every part of a spec is. Imports no Pulumi."""

from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, SecretStr


class Model(BaseModel):
    """A part of the spec: unknown keys are errors, values never change."""

    # A part is built within the whole spec; by itself only where it is used by itself.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def is_secret(annotation: Any) -> bool:
    """Whether values of this type are never shown."""
    return annotation is SecretStr or any(map(is_secret, get_args(annotation)))
