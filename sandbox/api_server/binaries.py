"""The programs of a Kubernetes API server: built once from the committed go.mod and go.sum, then kept in the cache."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from gpucluster.core.cache import BrokenCache, Installation, UnwritableCache, cache_folder
from gpucluster.sandbox.engine.engine import EngineError, this_platform
from gpucluster.sandbox.engine.find import say_on_stderr
from gpucluster.sandbox.engine.go_build import build_command, last_lines, run_go
from gpucluster.sandbox.engine.go_toolchain import NoGo, find_go
from gpucluster.sandbox.engine.progress import Say, duration

VERSION: Final = "1.36.3"
"""Of Kubernetes; pinned by go.mod, together with etcd as required by Kubernetes 1.36 (its build/dependencies.yaml)."""

_HERE: Final = Path(__file__).parent
_PACKAGES: Final = (
    "k8s.io/kubernetes/cmd/kube-apiserver",
    "k8s.io/kubernetes/cmd/kubectl",
    "go.etcd.io/etcd/server/v3",
)
_PINNED: Final = ("go.mod", "go.sum")
_NAMED_BY_GO: Final = {"etcd": "server"}


def _version_flags(version: str) -> str:
    """Linker flags with the version: clients refuse a server without a parsable version."""
    major, minor, _ = version.split(".")
    return " ".join(
        f"-X {package}.git{name}={value}"
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
        for name, value in {"Version": f"v{version}", "Major": major, "Minor": minor}.items()
    )


VERSION_FLAGS: Final = _version_flags(VERSION)
_EXPECTED: Final = "about 5 minutes on 2 cores and 2 GB in Go's caches the first time, seconds after that"


@dataclass(frozen=True)
class Binaries:
    """The folder with `kube-apiserver`, `etcd` and `kubectl`."""

    folder: Path

    @property
    def api_server(self) -> Path:
        """Kubernetes' own API server."""
        return self.folder / "kube-apiserver"

    @property
    def etcd(self) -> Path:
        """Its database."""
        return self.folder / "etcd"

    @property
    def kubectl(self) -> Path:
        """The command-line client."""
        return self.folder / "kubectl"


def folder(version: str = VERSION, modules: Path = _HERE) -> Path:
    """The folder of the programs of a version, for this platform: other modules are another folder."""
    pinned = hashlib.sha256(b"".join((modules / name).read_bytes() for name in _PINNED)).hexdigest()[:16]
    return cache_folder() / "kubernetes" / f"v{version}-{pinned}-{this_platform()}"


def find_binaries(
    *, rebuild: bool = False, say: Say = say_on_stderr, version: str = VERSION, modules: Path = _HERE
) -> Binaries:
    """The programs, built if missing or `rebuild`. Raises EngineError with the programs to install.

    modules: the folder with the go.mod and go.sum of the version.
    """
    check = partial(_check_answer, version=version)
    installation = Installation(folder(version, modules), "the Kubernetes API server", check=check)
    if not rebuild and _is_there(installation, say):
        return Binaries(installation.folder)
    try:
        with installation.lock(say):
            if rebuild or not _is_there(installation, say):
                installation.install({"version": version}, lambda into: _build(into, say, version, modules))
    except BrokenCache as error:
        raise EngineError(f"The Kubernetes API server just built cannot be used: {error}.") from error
    except UnwritableCache as error:
        raise EngineError(str(error)) from error
    except OSError as error:
        raise EngineError(f"The Kubernetes API server cannot be built in {installation.folder}: {error}.") from error
    return Binaries(installation.folder)


def _is_there(installation: Installation, say: Say) -> bool:
    try:
        return installation.read() is not None
    except BrokenCache as error:
        say(f"The cached Kubernetes API server in {installation.folder} is broken: {error}. It is built again.")
        return False


def _build(into: Path, say: Say, version: str, modules: Path) -> None:
    try:
        go = find_go(cache_folder(), say, modules)
    except NoGo as error:
        raise EngineError(_advice(str(error))) from error
    source = into / "source"
    source.mkdir()
    for name in _PINNED:
        shutil.copy(modules / name, source)
    command = build_command(go, *_PACKAGES, output=f"{into}/", linked=_version_flags(version))
    say(f"Building the Kubernetes API server {version}, etcd and kubectl with {go}: {_EXPECTED}.")
    start = time.monotonic()
    code, log = run_go(command, source, say)
    shutil.rmtree(source)
    if code != 0:
        raise EngineError(_advice(f"go build failed: {last_lines(log)}"))
    for name, built in _NAMED_BY_GO.items():
        (into / built).rename(into / name)
    say(f"Built the Kubernetes API server {version} in {duration(time.monotonic() - start)}.")


def _check_answer(built: Path, *, version: str) -> None:
    """Run every program's version command."""
    for name, argument in (("kube-apiserver", "--version"), ("etcd", "--version"), ("kubectl", "help")):
        try:
            done = subprocess.run([built / name, argument], capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BrokenCache(f"its {name} does not run ({error})") from error
        if done.returncode != 0:
            raise BrokenCache(f"its {name} does not run ({done.stderr.strip()[:200]})")
        if name == "kube-apiserver" and done.stdout.strip() != f"Kubernetes v{version}":
            raise BrokenCache(f'its {name} does not answer with its version, v{version} ("{done.stdout.strip()}")')


def _advice(reason: str) -> str:
    return (
        f"The Kubernetes API server is missing and could not be built: {reason}\n"
        "The build needs access to a Go module proxy (GOPROXY). Without --kubernetes real "
        "the sandbox needs no API server."
    )
