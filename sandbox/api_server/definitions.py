"""Definitions of custom kinds, read from the Go modules of their publishers: `definitions.csv`.

Columns: brought_by (a Helm chart, after its repository if another chart has the same name, or the cloud that installs
the kinds in its clusters); version of the chart; module, module_version and sum (of go.sum) with the definitions;
files, patterns with a space between. For karpenter-provider-gcp the table uses the upstream version in its go.mod: its
own module is not available, so its node class has no definition here. For Kueue 0.19.7 the module of 0.19.2 is used,
the newest that is available; for Karpenter 1.15.2 that of 1.15.0, whose definitions and chart are the same and which
needs no newer Go than Kubernetes does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpucluster.core.cache import BrokenCache, Installation, UnwritableCache, cache_folder
from gpucluster.core.catalog.tables import read_rows
from gpucluster.errors import Fault
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.find import say_on_stderr
from gpucluster.sandbox.engine.go_build import GoModule
from gpucluster.sandbox.engine.go_toolchain import NoGo, find_go
from gpucluster.sandbox.engine.progress import Say

_FILE: Final = "definitions.json"


class Unavailable(Fault):
    """Definitions are not available; the message gives the reason."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """One row of the table."""

    brought_by: str
    version: str
    module: str
    module_version: str
    sum: str
    files: tuple[str, ...]

    @property
    def pinned(self) -> GoModule:
        """The module with the definitions."""
        return GoModule(path=self.module, version=self.module_version, sum=self.sum)

    @property
    def installation(self) -> Installation:
        """The cache folder of the definitions."""
        place = cache_folder() / "definitions" / f"{self.module.replace('/', '+')}@{self.module_version}"
        return Installation(place, f"the definitions of {self.module} {self.module_version}")


@cache
def sources() -> Sequence[Source]:
    """The whole table."""
    return [
        Source(**{**row, "files": tuple(row["files"].split())})  # pyright: ignore[reportArgumentType]
        for row in read_rows("sandbox/api_server/definitions.csv")
    ]


def source_of(brought_by: str, version: str = "") -> Source | None:
    """The source of the definitions of a chart in this version, or of a cloud; None if it is not in the table."""
    wanted = (brought_by, version.removeprefix("v"))
    return next((source for source in sources() if (source.brought_by, source.version) == wanted), None)


def definitions_of(source: Source, *, say: Say = say_on_stderr) -> list[Mapping[str, Any]]:
    """The definitions, downloaded if not in the cache. Raises Unavailable."""
    installation = source.installation
    try:
        if installation.read() is None:
            with installation.lock(say):
                if installation.read() is None:
                    say(f"Fetching the definitions of {source.module} {source.module_version} (once)")
                    installation.install({}, lambda into: _fetch(source, into, say))
    except BrokenCache:
        with installation.lock(say):
            installation.install({}, lambda into: _fetch(source, into, say))
    except (UnwritableCache, OSError) as error:
        raise Unavailable(str(error)) from error
    return json.loads((installation.folder / _FILE).read_text())


def fetch_all(*, say: Say = say_on_stderr) -> dict[str, str]:
    """Downloads the whole table into the cache; returns module -> reason for the unavailable ones."""

    def fetch(source: Source) -> tuple[str, str]:
        try:
            definitions_of(source, say=say)
        except Unavailable as error:
            return source.module, str(error)
        return source.module, ""

    once = {source.module: source for source in sources()}
    with ThreadPoolExecutor(4) as pool:
        return {module: why for module, why in pool.map(fetch, once.values()) if why}


def _fetch(source: Source, into: Path, say: Say) -> None:
    """Raises Unavailable."""
    import yaml

    folder = _download(source, say)
    documents: list[Mapping[str, Any]] = []
    for pattern in source.files:
        found = sorted(folder.glob(pattern))
        if not found:
            raise Unavailable(f"{source.module} {source.module_version} has no {pattern}")
        for file in found:
            loaded = yaml.load_all(file.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            documents += [item for item in loaded if item and item.get("kind") == "CustomResourceDefinition"]
    (into / _FILE).write_text(json.dumps(documents))


def _download(source: Source, say: Say) -> Path:
    """The module in Go's cache. Raises Unavailable."""
    try:
        return source.pinned.folder(find_go(cache_folder(), say, Path(__file__).parent))
    except (NoGo, EngineError) as error:
        raise Unavailable(str(error)) from error
