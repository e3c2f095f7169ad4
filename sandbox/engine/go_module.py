"""The files of a Go module, in the version of a go.mod and with the checksum of its go.sum."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from gpucluster.sandbox.engine.go_environment import go_environment
from gpucluster.sandbox.engine.model import EngineError


def module_folder(module: str, modules: Path, go: Path) -> Path:
    """The module's folder in Go's cache. modules: folder of go.mod and go.sum. Raises EngineError."""
    with tempfile.TemporaryDirectory() as work:
        for name in ("go.mod", "go.sum"):
            shutil.copy(modules / name, work)
        command = [go, "mod", "download", "-json", module]
        done = subprocess.run(command, cwd=work, env=go_environment(), capture_output=True, text=True, check=False)
    try:
        answer: dict[str, str] = json.loads(done.stdout)
    except ValueError:
        raise EngineError(f"{module} cannot be fetched: {done.stderr.strip()}") from None
    if answer.get("Error"):
        raise EngineError(f"{module} cannot be fetched: {answer['Error']}")
    return Path(answer["Dir"])


def copy_module(folder: Path, into: Path) -> None:
    """Makes a writable copy of a folder of Go's cache: the cache is read-only."""
    shutil.copytree(folder, into, copy_function=shutil.copyfile)
    for path in (into, *into.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
