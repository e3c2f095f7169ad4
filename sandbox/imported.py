"""What `pulumi import` needs in addition: the generator of the program's code."""

from __future__ import annotations

from collections.abc import Callable

from gpucluster.sandbox.arguments import CommandLine
from gpucluster.sandbox.engine.model import Engine, EngineError
from gpucluster.sandbox.engine.progress import Say
from gpucluster.sandbox.project import Project

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
