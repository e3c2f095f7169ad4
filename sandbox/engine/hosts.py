"""The language hosts of other Pulumi programs: where they are, and where an engine finds them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from gpucluster.sandbox.engine.engine import Engine


def host_of_engine(engine: Engine, runtime: str) -> Path | None:
    """The host that came with the engine's own release; an engine looks beside itself first."""
    folders = os.pathsep.join(map(str, (engine.binary.parent, engine.binary.resolve().parent)))
    found = shutil.which(f"pulumi-language-{runtime}", path=folders)
    return None if found is None else Path(found)


def host_on_path(runtime: str) -> Path | None:
    """The user's own host."""
    found = shutil.which(f"pulumi-language-{runtime}")
    return None if found is None else Path(found).resolve()


def link_host(home: Path, runtime: str, version: str, host: Path) -> None:
    """Puts a host where an engine with this PULUMI_HOME finds it. version: a semantic version, without v."""
    link = home / "plugins" / f"language-{runtime}-v{version}" / f"pulumi-language-{runtime}"
    if link.is_symlink() and link.readlink() == host:
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(host)
