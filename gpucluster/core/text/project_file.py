"""Reads the fields of Pulumi.yaml that we use. Source: pulumi/pulumi, sdk/go/common/workspace, project.json."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ValidationInfo, field_validator

from gpucluster.core.text.typed import Source, typed, yaml_document
from gpucluster.core.text.values import PROJECT_NAME, shown_value


@dataclass(frozen=True, kw_only=True)
class ProjectFile:
    """main: folder or file of the program. stack_folder: of the stacks' configuration. runtime: the language.
    virtualenv: folder of its environment. Folders are relative to the file; empty without one.
    """

    name: str
    main: str
    stack_folder: str
    runtime: str
    virtualenv: str


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


_Folder = Annotated[str | None, AfterValidator(_folder)]


class _Options(BaseModel):
    """Those of the language."""

    virtualenv: _Folder = None


class _Runtime(BaseModel):
    """The language of the program."""

    name: str | None = None
    options: _Options | None = None


def _named(given: Any) -> Any:
    return {"name": given} if isinstance(given, str) else given


class _Project(BaseModel):
    """The fields that we use, by their names in the file."""

    name: str
    main: _Folder = None
    stackConfigDir: _Folder = None
    runtime: Annotated[_Runtime | None, BeforeValidator(_named)] = None

    @field_validator("name")
    @classmethod
    def _acceptable(cls, name: str) -> str:
        if PROJECT_NAME.fullmatch(name) is None:
            raise ValueError(
                f"name is {shown_value(name)}; write 1 to 100 letters, digits, hyphens, underscores and periods"
            )
        return name


def account_file(folder: Path, stack: str) -> Path:
    """The file of what a stack's account answered to `gpucluster preflight`. folder: of the stacks' files."""
    return folder / f"account.{stack}.yaml"


def read_project(file: Path) -> ProjectFile:
    """The project of a file. Raises InputError with every mistake in it."""
    source = Source(name=str(file))
    found = yaml_document(file, source)
    repeated = [str(fault) for fault in found.faults if fault.repeats]
    project = typed({} if found.data is None else found.data, _Project, source, repeated)
    runtime = project.runtime or _Runtime()
    options = runtime.options or _Options()
    return ProjectFile(
        name=project.name,
        main=project.main or "",
        stack_folder=project.stackConfigDir or "",
        runtime=runtime.name or "",
        virtualenv=options.virtualenv or "",
    )
