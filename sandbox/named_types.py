"""The resource types that a command may be about: words of the command, of its file, and of a program in YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gpucluster.sandbox.arguments import CommandLine
from gpucluster.sandbox.project import Project

_TOKEN: Final = re.compile(r"[a-z][\w-]*:[\w./-]+(?::\w+)?")
_PROGRAMS: Final = ("*.yaml", "*.yml")


def named_types(project: Project, line: CommandLine) -> frozenset[str]:
    """Words in the form of type tokens; more of them than types."""
    return frozenset(token for text in _texts(project, line) for token in _TOKEN.findall(text))


def _texts(project: Project, line: CommandLine) -> Iterator[str]:
    yield from line.args
    file = line.value("--file", "-f")
    files = [Path(file)] if file and line.words == ("import",) else []
    if project.runtime == "yaml":
        folder = project.root / (project.settings.main or ".")
        files += [found for pattern in _PROGRAMS for found in folder.glob(pattern)]
    yield from (found.read_text(encoding="utf-8", errors="replace") for found in files if found.is_file())
