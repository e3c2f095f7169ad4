"""The versions of the controllers that run here, against those of a stack and those that they are made for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpucluster.components.kubernetes.objects import charts
from gpucluster.core.cache import cache_folder
from gpucluster.sandbox.api_server import binaries
from gpucluster.sandbox.engine.go_build import module_folder
from gpucluster.sandbox.engine.go_toolchain import find_go
from gpucluster.sandbox.live.charts import CHARTS

MODULES = Path(binaries.__file__).parent
SHARED = ("github.com/kubeflow/trainer/v2", "sigs.k8s.io/jobset")


def required(modules: Path) -> dict[str, str]:
    """The versions of the shared modules in a folder's go.mod."""
    text = (modules / "go.mod").read_text()
    return {name: found[1] for name in SHARED if (found := re.search(rf"^\s*{name} (v\S+)", text, re.MULTILINE))}


@pytest.mark.slow
def test_kueue_counts_the_pods_of_jobs_by_the_trainer_and_jobset_that_it_is_made_for() -> None:
    kueue = module_folder("sigs.k8s.io/kueue", MODULES, find_go(cache_folder(), print, MODULES))
    assert required(MODULES) == required(kueue)
    assert {*required(kueue)} == {*SHARED}


def test_a_stack_has_the_trainer_and_the_jobset_that_run_here_and_a_kueue_of_the_same_line() -> None:
    pinned = {name: CHARTS[name].version for name in ("kubeflow-trainer", "jobset")}
    assert pinned == {"kubeflow-trainer": charts.TRAINER.version, "jobset": charts.JOBSET.version}
    assert CHARTS["kueue"].version.rpartition(".")[0] == charts.KUEUE.version.rpartition(".")[0]
