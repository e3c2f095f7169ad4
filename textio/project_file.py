"""Reads Pulumi.yaml, as far as we use it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from gpucluster.record import record
from gpucluster.textio.typed import Source, typed, yaml_document
from gpucluster.textio.values import PROJECT_NAME


@record(kw_only=True)
class ProjectFile:
    """main: folder or file of the program. stack_folder: of the stacks' configuration. runtime: the language.
    virtualenv: folder of its environment. Folders are relative to the file; empty without one.
    """

    name: str
    main: str
    stack_folder: str
    runtime: str
    virtualenv: str


def read_project(file: Path) -> ProjectFile:
    """The project of a file. Raises InputError with every mistake in it."""
    source = Source(name=str(file))
    found = yaml_document(file, source)
    repeated = [str(fault) for fault in found.faults if fault.repeats]
    value: Any = found.data
    if repeated or not _usual(value):
        from gpucluster.textio.project_shape import Project

        value = typed({} if value is None else value, Project, source, repeated).model_dump()
    runtime: Any = value.get("runtime") or {}
    if isinstance(runtime, str):
        runtime = {"name": runtime}
    options: Any = runtime.get("options") or {}
    return ProjectFile(
        name=value["name"],
        main=value.get("main") or "",
        stack_folder=value.get("stackConfigDir") or "",
        runtime=runtime.get("name") or "",
        virtualenv=options.get("virtualenv") or "",
    )


def _usual(value: Any) -> bool:
    """Whether it is as nearly all are: those are read without the import of pydantic, 0.1 s of every preview."""
    fields = _mapping(value)
    runtime = fields.get("runtime", "")
    of_runtime = {"name": runtime} if isinstance(runtime, str) else _mapping(runtime, {"name": None})
    options = _mapping(of_runtime.get("options", {}), {"virtualenv": None})
    texts = [fields.get("main", ""), fields.get("stackConfigDir", "")]
    texts += [of_runtime.get("name", ""), options.get("virtualenv", "")]
    name = fields.get("name")
    return (
        isinstance(name, str)
        and PROJECT_NAME.fullmatch(name) is not None
        and all(isinstance(text, str) and len(text) < 100 and "\0" not in text for text in texts)
    )


def _mapping(value: object, other: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if isinstance(value, dict) else other or {}
