"""The programs that run here: each with the libraries of its own project, and versions that fit a stack's charts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gpucluster.components.kubernetes.objects import charts
from gpucluster.core.cache import cache_folder
from gpucluster.sandbox.api_server import binaries
from gpucluster.sandbox.engine import go_build
from gpucluster.sandbox.engine.go_build import GoModule, GoProgram
from gpucluster.sandbox.engine.go_toolchain import find_go, needed_go
from gpucluster.sandbox.live import programs as live
from gpucluster.sandbox.live.charts import CHARTS
from gpucluster.sandbox.live.programs import MODULES, build, module_of, programs

KUBERNETES = "k8s.io/kubernetes"
OTHER = {"slurm-operator": {"github.com/SlinkyProject/slurm-client": ("v1.1.0-rc1", "v1.1.0")}}
"""Program -> module -> the version in it, that of its project: docs/plan/live-cluster.md says why."""
OTHERS = [program.name for program in programs() if program.module]


def go() -> Path:
    return find_go(cache_folder(), print, MODULES)


def required(modules: Path) -> dict[str, str]:
    """Module -> version, of a go.mod; those that it replaces by folders aside."""
    lines = re.findall(
        r"^(?:require )?\s*(\S+) (v\S+)(?: // indirect)?$", (modules / "go.mod").read_text(), re.MULTILINE
    )
    return {name: version for name, version in lines if version != "v0.0.0"}


def contained(program: Path) -> dict[str, str]:
    """Module -> version, of all that is linked into a program."""
    done = subprocess.run([go(), "version", "-m", program], capture_output=True, text=True, check=True)
    return dict(re.findall(r"^\tdep\t(\S+)\t(\S+)", done.stdout, re.MULTILINE))


def differences(there: dict[str, str], own: dict[str, str]) -> dict[str, tuple[str, str]]:
    shared = {*there} & {*own}
    assert len(shared) > 20, "these have little in common: wrong files were read"
    return {name: (there[name], own[name]) for name in shared if there[name] != own[name]}


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_a_program_contains_each_library_in_the_version_of_its_own_project(name: str) -> None:
    (program,) = (it for it in programs() if it.name == name)
    if not program.is_there():
        pytest.skip(f"{name} is not built: gpucluster sandbox kubernetes --live")
    assert program.module is not None
    assert differences(contained(program.path), required(program.module.folder(go()))) == OTHER.get(name, {})


@pytest.mark.slow
def test_kubernetes_programs_are_built_with_the_libraries_of_kubernetes() -> None:
    version = f"v{binaries.VERSION}"
    (line,) = (it for it in (MODULES / "go.sum").read_text().splitlines() if it.startswith(f"{KUBERNETES} {version} "))
    own = GoModule(path=KUBERNETES, version=version, sum=line.split()[2]).folder(go())
    assert differences(required(MODULES), required(own)) == {}
    # Published apart from it, with its own number: replaced by folders in its go.mod.
    staged = re.findall(r"^\t(\S+) => \./staging/", (own / "go.mod").read_text(), re.MULTILINE)
    number = f"v0{version.removeprefix('v1')}"
    assert {required(MODULES).get(name, number) for name in staged} == {number}


@pytest.mark.slow
def test_kueue_counts_the_pods_of_jobs_by_the_trainer_and_jobset_of_a_stack() -> None:
    kueue = required(module_of("sigs.k8s.io/kueue").folder(go()))
    assert kueue["github.com/kubeflow/trainer/v2"] == f"v{charts.TRAINER.version}"
    assert kueue["sigs.k8s.io/jobset"] == f"v{charts.JOBSET.version}"


def test_a_stack_has_the_operators_that_run_here_and_a_kueue_of_the_same_line() -> None:
    pinned = {name: CHARTS[name].version for name in ("kubeflow-trainer", "jobset", "slurm-operator")}
    assert pinned == {
        "kubeflow-trainer": charts.TRAINER.version,
        "jobset": charts.JOBSET.version,
        "slurm-operator": charts.SLURM.version,
    }
    assert CHARTS["kueue"].version.rpartition(".")[0] == charts.KUEUE.version.rpartition(".")[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_one_go_toolchain_fits_all_programs(name: str) -> None:
    (program,) = (it for it in programs() if it.name == name)
    assert program.module is not None
    assert needed_go(program.module.folder(go())) <= needed_go(MODULES)


def test_missing_programs_are_built_in_the_order_of_need_with_their_place_and_an_estimate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GPUCLUSTER_CACHE", str(tmp_path))
    monkeypatch.setattr(live.os, "cpu_count", lambda: 2)
    built: list[str] = []

    def as_if(program: GoProgram, into: Path, say: go_build.Say) -> None:
        (into / program.name).touch()
        built.append(program.name)
        say(f"Building {program.name}")

    monkeypatch.setattr(GoProgram, "_build", as_if)
    said: list[str] = []
    build(said.append, ["kueue", "kwok"])
    build(said.append, ["kueue", "kwok", "jobset"])
    assert built == ["kwok", "kueue", "jobset"]
    assert [re.sub(r"\d+ min", "N min", line) for line in said] == [
        "Building 2 programs of live clusters, about N min on 2 idle cores: kwok, kueue.",
        "1 of 2: Building kwok",
        "2 of 2: Building kueue",
        "Building 1 programs of live clusters, about N min on 2 idle cores: jobset.",
        "1 of 1: Building jobset",
    ]
