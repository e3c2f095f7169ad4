"""The controllers' charts from their Go modules, rendered by Helm's engine with the values of the stack."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpucluster.core.cache import BrokenCache, Installation, cache_folder
from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.api_server.binaries import VERSION
from gpucluster.sandbox.clouds.kubernetes.objects import name_of, namespace_of
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.go_build import copy_module
from gpucluster.sandbox.engine.go_toolchain import NoGo, find_go
from gpucluster.sandbox.engine.progress import Say
from gpucluster.sandbox.live.programs import MODULES, find_program, home, module_of


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart in a Go module. program: of `programs`, empty if none runs here. folder: of the chart, in the module."""

    name: str
    module: str
    folder: str
    program: str = ""

    @property
    def version(self) -> str:
        """The version of the module."""
        return module_of(self.module).version.removeprefix("v")

    @property
    def installation(self) -> Installation:
        """The cache folder of the chart."""
        return Installation(home() / "charts" / f"{self.name}-{self.version}", f"the chart {self.name} {self.version}")


CHARTS: Final[Mapping[str, Chart]] = {
    chart.name: chart
    for chart in (
        Chart(name="jobset", program="jobset", module="sigs.k8s.io/jobset", folder="charts/jobset"),
        Chart(
            name="kubeflow-trainer",
            program="trainer",
            module="github.com/kubeflow/trainer/v2",
            folder="charts/kubeflow-trainer",
        ),
        Chart(name="kueue", program="kueue", module="sigs.k8s.io/kueue", folder="charts/kueue"),
        Chart(name="lws", program="lws", module="sigs.k8s.io/lws", folder="charts/lws"),
        Chart(
            name="slurm-operator",
            program="slurm-operator",
            module="github.com/SlinkyProject/slurm-operator",
            folder="helm/slurm-operator",
        ),
    )
}
"""Of the controllers that run here, by name."""
RENDERED: Final[Mapping[str, Chart]] = {
    chart.name: chart
    for chart in (
        Chart(name="karpenter", module="github.com/aws/karpenter-provider-aws", folder="charts/karpenter"),
        Chart(name="karpenter-crd", module="github.com/aws/karpenter-provider-aws", folder="charts/karpenter-crd"),
        Chart(
            name="nvidia-device-plugin",
            module="github.com/NVIDIA/k8s-device-plugin",
            folder="deployments/helm/nvidia-device-plugin",
        ),
        Chart(
            name="slurm-operator-crds",
            module="github.com/SlinkyProject/slurm-operator",
            folder="helm/slurm-operator-crds",
        ),
        Chart(name="vpc-cni", module="github.com/aws/amazon-vpc-cni-k8s", folder="charts/aws-vpc-cni"),
    )
}
"""Others, for rendering and for their values; `vpc-cni` is an add-on of EKS."""


def fetch(chart: Chart, say: Say) -> Path:
    """The folder of the chart, downloaded if not in the cache. Raises EngineError."""
    installation = chart.installation
    if not _is_there(installation):
        with installation.lock(say):
            if not _is_there(installation):
                installation.install({}, lambda into: _copy(chart, into, say))
    return installation.folder / chart.name


def _copy(chart: Chart, into: Path, say: Say) -> None:
    try:
        go = find_go(cache_folder(), say, MODULES)
    except NoGo as error:
        raise EngineError(f"{chart.installation.what} cannot be fetched: {error}") from error
    copy_module(module_of(chart.module).folder(go) / chart.folder, into / chart.name)


def _is_there(installation: Installation) -> bool:
    try:
        return installation.read() is not None
    except BrokenCache:
        return False  # It is downloaded again.


_SECONDS: Final = 60


def render(chart: Chart, release: Mapping[str, Any], say: Say) -> list[Mapping[str, Any]]:
    """The objects of a release. release: its inputs. Raises EngineError with Helm's message."""
    import yaml

    folder = fetch(chart, say)
    requested = {
        "name": name_of(release),
        "namespace": namespace_of(release),
        "kubernetes": f"v{VERSION}",
        "values": dict(mapping(release.get("values"))),
    }
    command = [str(find_program("render", say)), str(folder)]
    done = subprocess.run(
        command, input=json.dumps(requested), capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if done.returncode != 0:
        why = done.stderr.strip()
        raise EngineError(f"The chart {chart.name} {chart.version} refuses the values of the stack: {why}")
    loaded = yaml.load_all(done.stdout, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return [document for document in loaded if document]
