"""Pulumi's generator of programs in Python, which `pulumi import` asks its language host for; a built engine has none.

`main.go` is built with the engine's own go.mod, so after a build of the engine most of it is compiled.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.go_build import GoProgram
from gpucluster.sandbox.engine.go_toolchain import NoGo
from gpucluster.sandbox.engine.progress import Say

_HERE: Final = Path(__file__).parent
_PROGRAM: Final = GoProgram(
    name="pulumi-code-generator",
    package=".",
    modules=_HERE.parent,
    source=_HERE,
    expected="about 2 minutes on 2 cores, once",
)


def find_code_generator(say: Say) -> Path:
    """The generator, built if missing. Raises EngineError."""
    try:
        return _PROGRAM.built(say)
    except NoGo as error:
        raise EngineError(str(error)) from error


def generate(request: bytes) -> bytes:
    """The GenerateProgramResponse of a GenerateProgramRequest, both serialized. Raises EngineError."""
    if not _PROGRAM.is_there():
        raise EngineError("the generator of programs is not built")
    done = subprocess.run([_PROGRAM.path], input=request, capture_output=True, check=False)
    if done.returncode != 0:
        raise EngineError(done.stderr.decode(errors="replace").strip())
    return done.stdout
