"""Declarations of plans, cached: each shape is declared once per version of this tool and its SDKs."""

from __future__ import annotations

import functools
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from gpucluster.components.cluster.cloud import ClusterPlan
from gpucluster.core.cache import cache_folder
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.tables import packaged
from gpucluster.core.program.readers.files import read_state
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.errors import Fault
from gpucluster.operate.quote.candidates import Candidate
from gpucluster.operate.quote.plan_templates import filled, holes_in, known_of, shape_of

_READ: Final = (
    "components",
    "cost/handlers",
    "gpucluster/core",
    "gpucluster/operate/quote/plan_declaration.py",
    "gpucluster/operate/quote/plan_templates.py",
    "gpucluster/operate/quote/plan_templates.py",
)
"""Folders and files on which declarations depend."""

_KEPT_DAYS: Final = 30
_SHOWN: Final = 12
"""Lines shown of a failed process."""


@dataclass(frozen=True, kw_only=True)
class _View:
    """resources: of a shape, with placeholders. holes: their positions, by URN. facts: URN of the component that
    states them.
    """

    resources: tuple[Resource, ...]
    holes: Mapping[str, Any]
    facts: str


class Views:
    """The declarations of candidates.

    say: called while shapes are declared, which takes seconds.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._views: dict[str, _View] = {}

    def prepare(self, candidates: Sequence[Candidate]) -> list[str]:
        """Load or create the shape of each, and return it. Raises Fault if one cannot be declared."""
        missing: dict[str, dict[str, Any]] = {}
        shapes = [shape_of(one.plan) for one in candidates]
        for one, shape in zip(candidates, shapes, strict=True):
            if shape in self._views or shape in missing.get(one.cloud, {}):
                continue
            kept = _kept(shape)
            if kept is None:
                missing.setdefault(one.cloud, {})[shape] = one.asked
            else:
                self._views[shape] = _view(kept)
        if missing:
            number = sum(map(len, missing.values()))
            names = ", ".join(clouds()[name].title for name in missing)
            self._say(f"Declaring {number} kinds of cluster ({names}), for later quotes too.")
            for shape, document in _declared(missing):
                _keep(shape, document)
                self._views[shape] = _view(document)
        return shapes

    def resources(self, plan: ClusterPlan, shape: str) -> Resources:
        """The declarations of a plan with a prepared shape."""
        view, known = self._views[shape], known_of(plan)
        stated = {view.facts: plan.facts.registered()}
        return Resources(
            _with(one, {**filled(one.inputs, known, view.holes.get(one.urn)), **stated.get(one.urn, {})})
            if one.urn in view.holes or one.urn in stated
            else one
            for one in view.resources
        )


def _with(resource: Resource, inputs: Mapping[str, Any]) -> Resource:
    return Resource(
        urn=resource.urn,
        type=resource.type,
        name=resource.name,
        inputs=inputs,
        custom=resource.custom,
        parent=resource.parent,
        provider=resource.provider,
        dependencies=resource.dependencies,
    )


def _view(document: Mapping[str, Any]) -> _View:
    found = tuple(read_state(document, "a declared cluster"))
    holes = {one.urn: at for one in found if (at := holes_in(one.inputs))}
    facts = next((one.urn for one in found if not one.custom and "trainingGpus" in one.inputs), "")
    return _View(resources=found, holes=holes, facts=facts)


def _declared(missing: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every shape, with a separate, concurrent process for each cloud."""
    command = [sys.executable, "-P", "-m", "gpucluster.operate.quote.plan_declaration"]
    pipe = subprocess.PIPE
    running = {
        cloud: subprocess.Popen([*command, cloud], stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")
        for cloud in missing
    }
    try:
        for cloud, process in running.items():
            assert process.stdin is not None
            process.stdin.write(json.dumps(missing[cloud]))
            process.stdin.close()
            process.stdin = None
        for cloud, process in running.items():
            out, error = process.communicate()
            if process.returncode:
                message = "\n".join(error.splitlines()[-_SHOWN:])
                raise Fault(f"a cluster on {clouds()[cloud].title} could not be declared:\n{message}")
            for line in out.splitlines():
                yield from json.loads(line).items()
    finally:
        for process in running.values():
            if process.poll() is None:
                process.kill()


def _kept(shape: str) -> Mapping[str, Any] | None:
    with suppress(OSError, ValueError):
        return json.loads((_folder() / f"{shape}.json").read_text(encoding="utf-8"))
    return None


def _keep(shape: str, document: Mapping[str, Any]) -> None:
    """An unwritable cache is skipped."""
    with suppress(OSError):
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        _forget_old(folder.parent)
        new = folder / f".{uuid4().hex}"
        new.write_text(json.dumps(document), encoding="utf-8")
        new.rename(folder / f"{shape}.json")


def _forget_old(folder: Path) -> None:
    for file in folder.glob("*/*"):
        if file.stat().st_mtime < time.time() - _KEPT_DAYS * 86_400:
            file.unlink(missing_ok=True)


@functools.cache
def _folder() -> Path:
    """The folder of this version: a hash of our files, and the versions of the SDKs."""
    found = hashlib.sha256()
    for name in _READ:
        top = packaged(name)
        for path in sorted([top, *top.rglob("*")]):
            if path.suffix in (".py", ".csv", ".json", ".yaml") and path.is_file():
                found.update(f"{name}/{path.relative_to(top)}\0".encode() + path.read_bytes())
    for sdk in ("pulumi", "pulumi_kubernetes", *(cloud.sdk for cloud in clouds().values())):
        with suppress(metadata.PackageNotFoundError):
            found.update(f"{sdk} {metadata.version(sdk)}\0".encode())
    return cache_folder() / "quotes" / found.hexdigest()[:32]
