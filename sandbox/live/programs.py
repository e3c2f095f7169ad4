"""The programs that run with an API server, each built once by the go.mod of the API server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from gpucluster.core.cache import cache_folder
from gpucluster.sandbox.api_server import binaries
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.go_build import GoProgram, Patch
from gpucluster.sandbox.engine.go_toolchain import NoGo
from gpucluster.sandbox.engine.progress import Say

_HERE: Final = Path(__file__).parent
_MODULES: Final = Path(binaries.__file__).parent

CERTIFICATES: Final = "k8s-webhook-server/serving-certs"
"""Path of the controllers' webhook certificates, in the folder for temporary files (sigs.k8s.io/controller-runtime
v0.24, pkg/webhook/server.go)."""

_OF_KUBERNETES: Final = ("kube-scheduler", "kube-controller-manager")
_KUBERAY: Final = "github.com/ray-project/kuberay/ray-operator"
_TRAINER: Final = "github.com/kubeflow/trainer/v2"
# Name -> package. Sources: the projects' go.mod and Makefile at the versions of go.mod here.
_OTHERS: Final = {
    "jobset": "sigs.k8s.io/jobset",
    "kuberay-operator": _KUBERAY,
    "kueue": "sigs.k8s.io/kueue/cmd/kueue",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
    "trainer": f"{_TRAINER}/cmd/trainer-controller-manager",
}
# Go files of this repository.
_OWN: Final = {"karpenter": _HERE / "karpenter" / "program", "render": _HERE / "charts" / "render"}
# Two folders without a configuration option: if no pod mounts them, they are in the program's working folder. Also
# disables webhooks that KubeRay 1.6.2 implements for another controller-runtime than that of Kubernetes 1.36.
_PATCHES: Final = {
    "kuberay-operator": [
        Patch(module=_KUBERAY, file="main.go", old=f'webhooks "{_KUBERAY}/pkg/webhooks/v1"', new=""),
        Patch(
            module=_KUBERAY,
            file="main.go",
            old="webhooks.SetupRayClusterWebhookWithManager(mgr)",
            new="os.ErrInvalid",
        ),
    ],
    "kueue": [
        Patch(
            module="sigs.k8s.io/kueue",
            file="cmd/kueue/main.go",
            old='"/etc/kueue/metrics/certs"',
            new=f'"{CERTIFICATES}"',
        )
    ],
    "trainer": [
        Patch(
            module=_TRAINER,
            file="pkg/util/cert/cert.go",
            old=f'"/tmp/{CERTIFICATES}"',
            new=f'"{CERTIFICATES}"',
        )
    ],
}


def home() -> Path:
    """The folder of all programs."""
    return cache_folder() / "live"


def folders() -> Sequence[Path]:
    """The folders with the parts of each program or chart."""
    return [path for path in home().iterdir() if path.is_dir()] if home().is_dir() else []


def programs() -> Sequence[GoProgram]:
    """All programs; one of this repository only if its files exist."""
    packages = {name: f"k8s.io/kubernetes/cmd/{name}" for name in _OF_KUBERNETES} | _OTHERS
    there = {name: folder for name, folder in _OWN.items() if folder.is_dir()}
    return [
        GoProgram(
            name=name,
            package=packages.get(name, "."),
            modules=_MODULES,
            source=there.get(name, _MODULES),
            linked=binaries.VERSION_FLAGS if name in _OF_KUBERNETES else "",
            patches=_PATCHES.get(name, ()),
            expected="1 to 7 minutes on 2 cores the first time, seconds once Go's cache has its parts",
            home=home(),
        )
        for name in sorted({*packages, *there})
    ]


def find_program(name: str, say: Say) -> Path:
    """The program, built if missing. Raises EngineError with the programs to install."""
    program = next(program for program in programs() if program.name == name)
    try:
        return program.built(say)
    except NoGo as error:
        raise EngineError(f"{name} is missing and could not be built: {error}") from error


def build_all(say: Say) -> None:
    """Builds the missing ones. Raises EngineError."""
    for program in programs():
        find_program(program.name, say)
