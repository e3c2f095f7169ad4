"""`gpucluster sandbox doctor`: checks the sandbox's prerequisites on this machine; it is read-only."""

from __future__ import annotations

import platform
import shutil
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from gpucluster.core.environment import incomplete, lacking, repair_advice
from gpucluster.errors import Exit, InputError

_GIB: Final = 1024**3
_WANTED_GIB: Final = 8
"""Free space for a first use: 5 GiB for Go's caches, 1 GiB for the builds."""


class _BrokenPart(Exception):
    """A problem that prevents the sandbox from working; the message describes it and its solution."""


@click.command()
def doctor() -> None:
    """Check what the sandbox needs on this machine.

    Engine, API server, Go, disk space, SDKs, and the state of this project.

    Exit code 1: something has to be repaired.
    """
    broken = False
    for name, examine in _PARTS.items():
        try:
            click.echo(f"ok     {name:10}  {examine()}")
        except (_BrokenPart, InputError, ModuleNotFoundError) as wrong:
            broken = True
            click.echo(f"WRONG  {name:10}  {lacking(wrong) or wrong}")
    sys.exit(Exit.FINDINGS if broken else Exit.OK)


def _python() -> str:
    return f"{platform.python_version()} on {platform.system()} {platform.machine()}"


def _packages() -> str:
    site = Path(sysconfig.get_path("purelib"))
    found = incomplete(site)
    if found:
        named = ", ".join(f"{name} {wrong}" for name, wrong in found.items())
        raise _BrokenPart(f"{named}: {repair_advice()}")
    return f"complete, in {site}"


def _engine() -> str:
    from gpucluster.sandbox.engine import find
    from gpucluster.sandbox.engine.find import engine_on_path

    messages: list[str] = []
    try:
        found = engine_on_path(messages.append, not_below=find.cache_folder()) or find.cached_engine()
    except find.BrokenCache as error:
        raise _BrokenPart(f"the cached engine is broken: {error}; the next command builds it again") from error
    if found is None:
        return "; ".join(["none yet: downloaded or built at first use (about 5 minutes)", *messages])
    return "; ".join([f"Pulumi {found.version} ({found.origin}), {found.binary}", *messages])


def _api_server() -> str:
    from gpucluster.core.cache import BrokenCache, Installation
    from gpucluster.sandbox.api_server import binaries
    from gpucluster.sandbox.api_server.definitions import sources

    try:
        built = Installation(binaries.folder(), "the API server").read()
        kept = {source.module for source in sources() if source.installation.read() is not None}
    except BrokenCache as error:
        raise _BrokenPart(f"what is cached is broken: {error}; run gpucluster sandbox kubernetes --build") from error
    if built is None:
        return "none yet: built by gpucluster sandbox kubernetes, or by the first --kubernetes real (about 5 minutes)"
    modules = {source.module for source in sources()}
    return f"Kubernetes {binaries.VERSION}, definitions of {len(kept)} of {len(modules)} modules, {binaries.folder()}"


def _controllers() -> str:
    from gpucluster.sandbox.live.programs import home, programs

    lacking = [program.name for program in programs() if not program.is_there()]
    if not lacking:
        return f"for --kubernetes live, all built, {home()}"
    many = "all" if len(lacking) == len(programs()) else ", ".join(lacking)
    return f"for --kubernetes live, not built: {many}; gpucluster sandbox kubernetes --live"


def _go() -> str:
    found = shutil.which("go")
    return found or "none on PATH: installed with pip when a build needs it"


def _disk() -> str:
    from gpucluster.core.cache import cache_folder

    folder = cache_folder()
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(there).free / _GIB
    space = f"{free:.0f} GiB free for {folder}"
    if free < _WANTED_GIB and not folder.exists():
        raise _BrokenPart(
            f"{space}: the first use needs up to {_WANTED_GIB}; set GPUCLUSTER_CACHE to a folder with room"
        )
    return space


def _sdks() -> str:
    from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
    from gpucluster.sandbox.project.project import find_project

    project = find_project(Path.cwd())
    found = installed_sdks(site_packages(project.virtualenv if project else None))
    return ", ".join(f"{sdk.package} {sdk.version}" for sdk in found.values()) or "none installed"


def _project() -> str:
    from gpucluster.sandbox.machine import disk
    from gpucluster.sandbox.project.project import find_project
    from gpucluster.sandbox.state.damage import differences

    project = find_project(Path.cwd())
    if project is None:
        return f"none: no Pulumi.yaml in {Path.cwd()} or above"
    refused = disk.obstacle(project.store.root)
    if refused:
        raise _BrokenPart(refused)
    standing = len(project.store.existing())
    if any(differences(project)):
        raise _BrokenPart(f"{standing} simulated resources; state and clouds differ: gpucluster sandbox recover")
    return f"{project.name}: {standing} simulated resources"


_PARTS: Final[dict[str, Callable[[], str]]] = {
    "python": _python,
    "packages": _packages,
    "engine": _engine,
    "kubernetes": _api_server,
    "live": _controllers,
    "go": _go,
    "disk": _disk,
    "SDKs": _sdks,
    "project": _project,
}
