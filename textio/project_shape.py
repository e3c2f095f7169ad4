"""The shape of Pulumi.yaml. Source: pulumi/pulumi, sdk/go/common/workspace, project.json."""

from __future__ import annotations

import errno
import os
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ValidationInfo, field_validator

from gpucluster.textio.values import PROJECT_NAME, shown_value


def _folder(text: str | None, field: ValidationInfo) -> str | None:
    """A path that a file can have, even if none has it."""
    try:
        os.lstat(text or ".")
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise ValueError(f"{field.field_name} is {shown_value(text)}, too long for a path; shorten it") from None
    except ValueError:
        raise ValueError(f"{field.field_name} is {shown_value(text)}, which no path can be; correct it") from None
    return text


Folder = Annotated[str | None, AfterValidator(_folder)]


class Options(BaseModel):
    """Those of the language."""

    virtualenv: Folder = None


class Runtime(BaseModel):
    """The language of the program."""

    name: str | None = None
    options: Options | None = None


def _named(given: Any) -> Any:
    return {"name": given} if isinstance(given, str) else given


class Project(BaseModel):
    """The fields that we use, by their names in the file."""

    name: str
    main: Folder = None
    stackConfigDir: Folder = None
    runtime: Annotated[Runtime | None, BeforeValidator(_named)] = None

    @field_validator("name")
    @classmethod
    def _acceptable(cls, name: str) -> str:
        if PROJECT_NAME.fullmatch(name) is None:
            raise ValueError(
                f"name is {shown_value(name)}; write 1 to 100 letters, digits, hyphens, underscores and periods"
            )
        return name
