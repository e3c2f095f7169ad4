"""What a command needs of SDKs: those of its stack's state, the types that it names, and the generator of an import."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from gpucluster.sandbox.clouds.types.schema import spellings
from gpucluster.sandbox.clouds.types.sdk_types import Sdk, how_to_install
from gpucluster.sandbox.engine.engine import Engine, EngineError
from gpucluster.sandbox.engine.progress import Say
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.run.arguments import CommandLine

_PROVIDER: Final = "pulumi:providers:"
_OWN: Final = frozenset({"gpucluster", "pulumi"})
"""Providers without their own SDK: the clusters, which programs in other languages name by their folder, and the
engine."""


def missing_sdks(resources: Iterable[Mapping[str, Any]], sdks: Mapping[str, Sdk]) -> list[str]:
    """A line for each provider in a stack's state whose package has no installed SDK."""
    types = {str(resource["type"]) for resource in resources}
    packages = {type_.removeprefix(_PROVIDER) for type_ in types if type_.startswith(_PROVIDER)}
    return [
        f"The state has resources of {name}, which {how_to_install(name)}" for name in sorted(packages - {*sdks, *_OWN})
    ]


_TOKEN: Final = re.compile(r"[a-z][\w-]*:[\w./-]+(?::\w+)?")
_TYPE: Final = re.compile(r"""[\s{,]type:\s*["']?([a-z][\w-]*:[\w./-]+(?::\w+)?)["']?\s*(?:[,}#]|$)""", re.MULTILINE)
"""The type of a resource in YAML."""
_PROGRAMS: Final = ("*.yaml", "*.yml")


def named_types(project: Project, line: CommandLine) -> frozenset[str]:
    """Words in the form of type tokens; more of them than types."""
    return frozenset(token for text in _texts(project, line) for token in _TOKEN.findall(text))


def _texts(project: Project, line: CommandLine) -> Iterator[str]:
    yield from line.args
    file = line.value("--file", "-f")
    files = [Path(file)] if file and line.words == ("import",) else []
    yield from (found.read_text(encoding="utf-8", errors="replace") for found in files if found.is_file())
    yield from _program(project)


def _program(project: Project) -> Iterator[str]:
    """The files of a program in YAML; none of another one."""
    if project.runtime == "yaml":
        folder = project.root / (project.settings.main or ".")
        files = (found for pattern in _PROGRAMS for found in folder.glob(pattern))
        yield from (found.read_text(encoding="utf-8", errors="replace") for found in files if found.is_file())


def unknown_types(project: Project, sdks: Mapping[str, Sdk]) -> list[str]:
    """A line for each type in a YAML program that the sandbox can't simulate, with the remedy: the engine's message
    does not say that the sandbox lacks it.
    """
    found = sorted({type_ for text in _program(project) for type_ in _TYPE.findall(text)})
    return [line for type_ in found if (line := _unknown(type_, sdks))]


def _unknown(type_: str, sdks: Mapping[str, Sdk]) -> str:
    package = type_.partition(":")[0]
    sdk = sdks.get(package)
    if package in _OWN:
        return ""
    if sdk is None:
        return f"the sandbox has no types of {package}: it simulates installed SDKs; it {how_to_install(package)}"
    names = {name: token for token in sdk.modules for name in spellings(token)}
    if type_ in names:
        return ""
    near = difflib.get_close_matches(type_, names, n=1, cutoff=0.8)
    meant = f"; did you mean {near[0]}?" if near else ""
    return (
        f"the sandbox has no type {type_}: it simulates those of the installed pulumi-{package} {sdk.version}; correct "
        f"it, or install a version of pulumi-{package} that has it{meant}"
    )


_GENERATE = "--generate-code"


def with_generator(
    line: CommandLine, project: Project, engine: Engine, say: Say, note: Callable[[str], None]
) -> CommandLine:
    """The command line of an import, without code if its generator can neither be found nor built."""
    needed = line.words == ("import",) and project.runtime == "python" and engine.language_host is not None
    if not needed or line.has(_GENERATE):
        return line
    # Imported late: few commands import.
    from gpucluster.sandbox.engine.code_generator import find_code_generator

    try:
        find_code_generator(say)
    except EngineError as error:
        note(f"The import generates no code: {error}")
        return line.with_flags(f"{_GENERATE}=false")
    return line
