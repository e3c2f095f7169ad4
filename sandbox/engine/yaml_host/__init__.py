"""The language host of Pulumi programs in YAML for a built engine, which has none: built once, for such programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.go_build import go_program
from gpucluster.sandbox.engine.go_toolchain import NoGo
from gpucluster.sandbox.engine.hosts import link_host
from gpucluster.sandbox.engine.progress import Say

NAME: Final = "pulumi-language-yaml"
_HERE: Final = Path(__file__).parent
_MODULE: Final = "github.com/pulumi/pulumi-yaml"


def put_yaml_host(home: Path, say: Say) -> None:
    """Install the host where an engine with this PULUMI_HOME finds it; builds it if missing.

    Raises EngineError.
    """
    link_host(home, "yaml", _version(), yaml_host(say))


def _version() -> str:
    line = re.search(rf"{_MODULE} v(\S+)", (_HERE / "go.mod").read_text())
    assert line is not None, "go.mod has no pulumi-yaml"
    return line[1]


def yaml_host(say: Say) -> Path:
    """The host's program. Raises EngineError."""
    linked = f"-X {_MODULE}/pkg/version.Version=v{_version()}"
    try:
        return go_program(_HERE, f"{_MODULE}/cmd/{NAME}", say, name=NAME, linked=linked)
    except NoGo as error:
        raise EngineError(f"{NAME} is missing and could not be built: {error}") from error
