"""The files of a new stack: configuration and spec, and in a folder without a project also project and program."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from gpucluster.components.cluster.cloud import cloud_of
from gpucluster.components.spec.cluster import spec_schema
from gpucluster.components.stack.first_spec import EXAMPLE_RANGE, relative_schema, schema_line
from gpucluster.components.stack.stack_config import find_project, stack_schema
from gpucluster.core.text.project_file import ProjectFile
from gpucluster.core.text.values import PROJECT_NAME
from gpucluster.errors import InputError

_SCHEMA: Final = "schema.json"
_STACK_SCHEMA: Final = "stack-schema.json"
_UNDECLARED: Final = "The program of this project does not call gpucluster.declare_stack(), which declares the cluster."
_PROJECT: Final = """\
name: gpucluster
description: Training clusters, priced before they are built
runtime: python
"""
_PROGRAM: Final = '''\
"""The cluster of a stack: Pulumi.STACK.yaml and its spec describe it."""

import gpucluster

gpucluster.declare_stack()
'''


@dataclass(frozen=True, kw_only=True)
class NewStack:
    """root: folder of the project. project: None if its file is still to be written. spec: path of the spec."""

    name: str
    root: Path
    project: ProjectFile | None
    spec: Path

    @property
    def program(self) -> Path:
        """The program's file or folder."""
        return self.root / (self.project.main if self.project else "")

    @property
    def settings(self) -> Path:
        """The file of the stack's configuration."""
        return self.root / (self.project.stack_folder if self.project else "") / f"Pulumi.{self.name}.yaml"

    @property
    def namespace(self) -> str:
        """Of the configuration's keys."""
        return self.project.name if self.project else "gpucluster"

    def write(self, spec: Callable[[str], str], values: Mapping[str, str]) -> list[Path]:
        """Writes all files, or none, and returns them.

        spec: the text of the spec with this path of its schema. values: of the configuration, without namespace and
        without the spec. Raises InputError if one of them exists or can't be written.
        """
        schema = relative_schema(self.spec)
        path = os.path.relpath(self.spec, self.program)
        config = {f"{self.namespace}:{key}": value for key, value in {"spec": path, **values}.items()}
        schema_file, stack_file = self.spec.with_name(_SCHEMA), self.spec.with_name(_STACK_SCHEMA)
        stack_path = relative_schema(self.settings, _STACK_SCHEMA)
        head = schema_line(stack_path or os.path.relpath(stack_file, self.settings.parent))
        files = {
            self.spec: spec(schema or _SCHEMA),
            self.settings: head + yaml.safe_dump({"config": config}, sort_keys=False),
        }
        if schema is None and not schema_file.exists():
            files[schema_file] = spec_schema()
        if stack_path is None and not stack_file.exists():
            files[stack_file] = stack_schema(self.namespace)
        if self.project is None:
            files |= {self.root / "Pulumi.yaml": _PROJECT, self.root / "__main__.py": _PROGRAM}
        write_all(files)
        return [*files]

    @property
    def declares(self) -> bool:
        """Whether the program declares the cluster of the configuration, as far as its text shows."""
        file = self.program / "__main__.py" if self.program.is_dir() else self.program
        return self.project is None or not file.is_file() or "declare_stack" in file.read_text(errors="replace")

    def report(self, cloud: str, *own: str) -> str:
        """What was written, and the next commands. own: fields with examples that the user replaces."""
        command, written = f"--stack {self.name}", self.settings.read_text() + self.spec.read_text()
        keys = {key: value for key, value in cloud_of(cloud).keys.items() if key in ("project", "subscription")}
        examples = [f"{self.namespace}:{key}" for key, value in keys.items() if value in written]
        examples += [*own, *(["access.cidrs"] if EXAMPLE_RANGE in written else [])]
        return "\n".join(
            [
                f"Wrote {os.path.relpath(self.settings)} and {os.path.relpath(self.spec)}.",
                *([f"Before `up`, replace the examples: {', '.join(examples)}."] if examples else []),
                *([] if self.declares else [_UNDECLARED]),
                f"Next: gpucluster check {command}",
                f"      gpucluster sandbox pulumi preview {command}",
            ]
        )


def new_stack(name: str, folder: Path, spec: Path | None = None) -> NewStack:
    """A stack of the project at or above a folder, else of a new project in it. spec: its path, to choose another than
    specs/NAME.yaml beside the program.

    Raises InputError if the name or the path can't be used, or a file would be overwritten.
    """
    if PROJECT_NAME.fullmatch(name) is None:  # the rule of stacks, too
        rule = "write 1 to 100 letters, digits, hyphens, underscores and periods"
        raise InputError("command line", [f"--stack is {name!r}; {rule}"])
    found = find_project(folder)
    root, project = found or (folder, None)
    program = root / (project.main if project else "")
    file = folder / spec if spec else program / "specs" / f"{name}.yaml"
    if not Path(os.path.normpath(file)).is_relative_to(os.path.normpath(root)):
        raise InputError("command line", [f"the spec's path is {spec}, outside the project; write one in {root}"])
    made = NewStack(name=name, root=root, project=project, spec=Path(os.path.normpath(file)))
    own = () if project else (root / "__main__.py",)
    refuse_existing([made.spec, made.settings, *own])
    return made


def _is_blank(file: Path) -> bool:
    return file.is_file() and not file.read_bytes().strip()


def refuse_existing(files: list[Path]) -> None:
    """Raises InputError with each file that exists and has content."""
    taken = [os.path.relpath(file) for file in files if file.exists() and not _is_blank(file)]
    if problems := [f"{file} exists already and is unchanged" for file in taken]:
        raise InputError("command line", [f"{problem}; choose another name, or delete it" for problem in problems])


def write_all(files: Mapping[Path, str]) -> None:
    """Writes new or blank files, or none of them. Raises InputError if one has content or can't be written."""
    written = dict[Path, bytes | None]()  # with the blank content before
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            blank = path.read_bytes() if _is_blank(path) else None
            with path.open("x" if blank is None else "w", encoding="utf-8") as file:
                written[path] = blank
                file.write(text)
    except BaseException as error:
        for path, blank in written.items():
            if blank is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(blank)
        if isinstance(error, FileExistsError) and error.filename is not None:
            refuse_existing([Path(str(error.filename))])
        if isinstance(error, OSError):
            raise InputError("command line", [f"{error.filename} can't be written: {error.strerror}"]) from None
        raise
