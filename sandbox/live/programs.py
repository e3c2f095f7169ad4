"""The programs that run with an API server, each built once in its project's module, by the go.mod of that."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from gpucluster.core.cache import cache_folder
from gpucluster.core.catalog.tables import read_rows
from gpucluster.sandbox.api_server import binaries
from gpucluster.sandbox.api_server.definitions import sources
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.go_build import OWN_FOLDER, GoModule, GoProgram, Patch
from gpucluster.sandbox.engine.go_toolchain import NoGo
from gpucluster.sandbox.engine.progress import Say

_HERE: Final = Path(__file__).parent
MODULES: Final = Path(binaries.__file__).parent
"""The go.mod of Kubernetes' programs; its `go` line selects the toolchain of all, whose library is compiled once."""

CERTIFICATES: Final = "k8s-webhook-server/serving-certs"
"""Path of the controllers' webhook certificates, in the folder for temporary files (sigs.k8s.io/controller-runtime
v0.24, pkg/webhook/server.go)."""


@dataclass(frozen=True, kw_only=True)
class _Recipe:
    """minutes: of CPU that a build takes in the order of `_RECIPES` from empty caches, in the proportions of a build on
    2026-11-28 (all but Kueue in 25 min on 2 busy cores); `make bench` measures the sum. module: None for
    Kubernetes'.

    source: Go files of this repository.
    """

    minutes: int
    module: str | None = None
    package: str = f"./{OWN_FOLDER}"
    source: Path | None = None
    patches: Sequence[Patch] = ()


_SLURM_CLIENT: Final = "github.com/SlinkyProject/slurm-client v1.1.0"
# In the order of need. Sources of packages: the projects' Makefiles. Patches: two folders without a configuration
# option; if no pod mounts them, they are in the program's working folder. Of Slurm's operator two things differ:
# - slurm-client 1.1.0 is not served as a module. Its release candidate is, and the operator's own release candidate
#   (slurm-operator v1.1.0-rc1, go.sum) has its sums.
# - It keeps no client of slurmrestd, which does not run here: with one that gets no answer it makes no pod
#   (internal/controller/nodeset/nodeset_sync.go, sync).
_RECIPES: Final = {
    "kube-controller-manager": _Recipe(minutes=2),
    "kube-scheduler": _Recipe(minutes=1),
    "kwok": _Recipe(minutes=3, module="sigs.k8s.io/kwok", package="./cmd/kwok"),
    "render": _Recipe(minutes=2, module="helm.sh/helm/v3", source=_HERE / "charts" / "render"),
    "jobset": _Recipe(minutes=3, module="sigs.k8s.io/jobset", package="."),
    "trainer": _Recipe(
        minutes=2,
        module="github.com/kubeflow/trainer/v2",
        package="./cmd/trainer-controller-manager",
        patches=[Patch(file="pkg/util/cert/cert.go", old=f'"/tmp/{CERTIFICATES}"', new=f'"{CERTIFICATES}"')],
    ),
    "kueue": _Recipe(
        minutes=4,
        module="sigs.k8s.io/kueue",
        package="./cmd/kueue",
        patches=[Patch(file="cmd/kueue/main.go", old='"/etc/kueue/metrics/certs"', new=f'"{CERTIFICATES}"')],
    ),
    "karpenter": _Recipe(minutes=4, module="sigs.k8s.io/karpenter", source=_HERE / "karpenter" / "program"),
    "lws": _Recipe(minutes=2, module="sigs.k8s.io/lws", package="./cmd"),
    "kuberay-operator": _Recipe(minutes=5, module="github.com/ray-project/kuberay/ray-operator", package="."),
    "slurm-operator": _Recipe(
        minutes=4,
        module="github.com/SlinkyProject/slurm-operator",
        package="./cmd/manager",
        patches=[
            Patch(file="go.mod", old=f"{_SLURM_CLIENT}\n", new=f"{_SLURM_CLIENT}-rc1\n"),
            Patch(
                file="go.sum",
                old=f"{_SLURM_CLIENT} h1:kpOJA2ZiQXOrLVTuaKQiLMWk7TxQLL0LvoeyAgvGZz8=",
                new=f"{_SLURM_CLIENT}-rc1 h1:R+md/Sz/Ftma/tB2AWo8LYOpzSMHhRzh36ZLJSCwads=",
            ),
            Patch(
                file="go.sum",
                old=f"{_SLURM_CLIENT}/go.mod h1:+wFXg1+1ie0Hpk0jPJY5GlwD4xFSrr7PcWi8y5BkjSE=",
                new=f"{_SLURM_CLIENT}-rc1/go.mod h1:DHMK7/+QKq9knzKaFGySO7TsMDm/7uYiF2ABJJMa00c=",
            ),
            Patch(
                file="internal/controller/slurmclient/slurmclient_sync.go",
                old="if r.ClientMap.Add(controllerKey, slurmClient) {",
                new="if false && r.ClientMap.Add(controllerKey, slurmClient) {",
            ),
        ],
    ),
}
NEEDED: Final = tuple(_RECIPES)[:7]
"""The programs of every cluster with jobs. The others are built for what the stack installs: elastic pools, sets of
leaders and workers, Ray's kinds, Slurm."""


def home() -> Path:
    """The folder of all programs."""
    return cache_folder() / "live"


def folders() -> Sequence[Path]:
    """The folders with the parts of each program or chart."""
    return [path for path in home().iterdir() if path.is_dir()] if home().is_dir() else []


@cache
def module_of(path: str) -> GoModule:
    """The pinned version of a module: of `modules.csv`, or the one with the definitions of the same project."""
    rows = read_rows("sandbox/live/modules.csv")
    own = [GoModule(path=row["module"], version=row["version"], sum=row["sum"]) for row in rows]
    return next(module for module in [*own, *(source.pinned for source in sources())] if module.path == path)


def programs() -> Sequence[GoProgram]:
    """All programs, in the order of need; one of this repository only if its files exist."""
    return [
        GoProgram(
            name=name,
            package=recipe.package if recipe.module else f"k8s.io/kubernetes/cmd/{name}",
            modules=MODULES,
            module=module_of(recipe.module) if recipe.module else None,
            source=recipe.source,
            linked="" if recipe.module else binaries.VERSION_FLAGS,
            patches=recipe.patches,
            expected=f"{_duration(recipe.minutes)} the first time, seconds once Go's cache has its parts",
            home=home(),
        )
        for name, recipe in _RECIPES.items()
        if recipe.source is None or recipe.source.is_dir()
    ]


def _duration(minutes: int) -> str:
    cores = os.cpu_count() or 1
    return f"about {math.ceil(minutes / cores)} min on {cores} idle cores"


def find_program(name: str, say: Say) -> Path:
    """The program, built if missing. Raises EngineError with the programs to install."""
    program = next(program for program in programs() if program.name == name)
    try:
        return program.built(say)
    except NoGo as error:
        raise EngineError(f"{name} is missing and could not be built: {error}") from error


def build(say: Say, names: Collection[str] = tuple(_RECIPES)) -> None:
    """Builds the missing ones of these, in the order of need, with an estimate before. Raises EngineError."""
    missing = [program.name for program in programs() if program.name in names and not program.is_there()]
    if missing:
        total = _duration(sum(_RECIPES[name].minutes for name in missing))
        say(f"Building {len(missing)} programs of live clusters, {total}: {', '.join(missing)}.")
    for number, name in enumerate(missing, 1):
        place = f"{number} of {len(missing)}: "
        find_program(name, lambda line, place=place: say(place + line))
