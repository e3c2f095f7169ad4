"""Builds the engine from its Go module, with the versions and checksums of go.mod and go.sum."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from sandbox.engine import release
from sandbox.engine.go_environment import go_environment
from sandbox.engine.go_toolchain import NoGo, find_go, needed_go
from sandbox.engine.model import EngineError
from sandbox.engine.progress import Say, duration, heartbeat

_HERE = Path(__file__).parent
_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
_VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
EXPECTED = "about 5 minutes on 2 cores and 3 GB in Go's caches the first time, seconds after that"

_LAUNCHER = """\
#!/bin/sh
# Starts the Python language host of the checkout that runs the engine.
if [ -z "$GPUCLUSTER_PYTHON" ]; then
  echo "This Pulumi engine belongs to the sandbox: run it as 'sandbox pulumi ...'." >&2
  exit 1
fi
exec "$GPUCLUSTER_PYTHON" -P -m sandbox.engine.language_host "$@"
"""


def build_engine(destination: Path, cache: Path, say: Say) -> None:
    """Put `pulumi` and the launcher of our language host into the existing folder `destination`.

    Raises EngineError, with the reason of the build.
    """
    try:
        go = find_go(cache, say)
    except NoGo as error:
        raise EngineError(_advice(str(error))) from error
    source = destination / "source"
    source.mkdir()
    for name in ("go.mod", "go.sum"):
        shutil.copy(_HERE / name, source)
    binary = destination / "pulumi"
    command = [
        *(str(go), "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-v"),
        *("-ldflags", f"-s -w -X {_VERSION_VARIABLE}=v{release.VERSION}"),
        *("-o", str(binary), _PACKAGE),
    ]
    say(f"Building Pulumi {release.VERSION} with {go}: {EXPECTED}.")
    start = time.monotonic()
    code, log = _run(command, source, say)
    shutil.rmtree(source)
    if code != 0 or not binary.exists():
        raise EngineError(_advice(f"go build failed: {_last_words(log)}"))
    say(f"Built Pulumi {release.VERSION} in {duration(time.monotonic() - start)}.")
    launcher = destination / "pulumi-language-python"
    launcher.write_text(_LAUNCHER)
    launcher.chmod(0o755)


def _run(command: list[str], folder: Path, say: Say) -> tuple[int, list[str]]:
    """Exit code and log; a build that is interrupted here ends with everything it started."""
    log: list[str] = []
    compiled = 0

    def state() -> str:
        return f"{compiled} packages compiled" if compiled else (log[-1] if log else "")

    process = subprocess.Popen(
        command,
        cwd=folder,
        env=go_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        with process.stdout as lines, heartbeat(say, "Building", state):
            for line in lines:
                log.append(line.rstrip())
                compiled += bool(re.fullmatch(r"[\w.~/-]+", log[-1]))  # -v prints each package as it is compiled
        return process.wait(), log
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _last_words(log: list[str]) -> str:
    """The reason of a failed build: its last lines that name no package or download."""
    telling = [line for line in log if not re.fullmatch(r"[\w.~/-]+|go: downloading .*", line) and line.strip()]
    return "\n  ".join(["", *telling[-8:]]) if telling else "it gave no reason"


def _advice(reason: str) -> str:
    go = ".".join(map(str, needed_go()))
    return (
        f"There is no Pulumi engine, and none could be made: {reason}\n"
        f"Install one of these and run the command again:\n"
        f"  Pulumi {release.ACCEPTED_RANGE}: https://www.pulumi.com/docs/install/\n"
        f"  Go {go} or newer, with access to a Go module proxy (GOPROXY): https://go.dev/doc/install"
    )
