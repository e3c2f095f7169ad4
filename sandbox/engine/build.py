"""Builds the engine from its Go module, with the versions and checksums of go.mod and go.sum."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from gpucluster.sandbox.engine import release
from gpucluster.sandbox.engine.go_build import build_command, last_words, run_go
from gpucluster.sandbox.engine.go_toolchain import NoGo, find_go, needed_go
from gpucluster.sandbox.engine.model import EngineError
from gpucluster.sandbox.engine.progress import Say, duration

_HERE = Path(__file__).parent
_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
_VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
EXPECTED = "about 5 minutes on 2 cores and 3 GB in Go's caches the first time, seconds after that"

_LAUNCHER = """\
#!/bin/sh
# Starts the Python language host of the checkout that runs the engine.
if [ -z "$GPUCLUSTER_PYTHON" ]; then
  echo "This Pulumi engine belongs to the sandbox: run it as 'gpucluster sandbox pulumi ...'." >&2
  exit 1
fi
exec "$GPUCLUSTER_PYTHON" -P -m gpucluster.sandbox.engine.language_host "$@"
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
    linked = f"-X {_VERSION_VARIABLE}=v{release.VERSION}"
    command = build_command(go, _PACKAGE, output=str(binary), linked=linked)
    say(f"Building Pulumi {release.VERSION} with {go}: {EXPECTED}.")
    start = time.monotonic()
    code, log = run_go(command, source, say)
    shutil.rmtree(source)
    if code != 0 or not binary.exists():
        raise EngineError(_advice(f"go build failed: {last_words(log)}"))
    say(f"Built Pulumi {release.VERSION} in {duration(time.monotonic() - start)}.")
    launcher = destination / "pulumi-language-python"
    launcher.write_text(_LAUNCHER)
    launcher.chmod(0o755)


def _advice(reason: str) -> str:
    go = ".".join(map(str, needed_go()))
    return (
        f"The Pulumi engine is missing and could not be built: {reason}\n"
        f"Install one of these and run the command again:\n"
        f"  Pulumi {release.ACCEPTED_RANGE}: https://www.pulumi.com/docs/install/\n"
        f"  Go {go} or newer, with access to a Go module proxy (GOPROXY): https://go.dev/doc/install"
    )
