"""What a command reads before it starts an engine, or without the wait."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from gpucluster.sandbox.project.project import find_project
from gpucluster.sandbox.project.stacks import private_config
from gpucluster.sandbox.state.state import state_files

__all__ = ["READERS"]


def _project(file: Path) -> None:
    project = find_project(file.parent)
    assert project is not None
    _ = (project.name, project.runtime, project.stacks(), project.stack_file("dev").exists(), state_files(project))
    installed_sdks(site_packages(project.virtualenv))


def _measured(file: Path) -> None:
    """Waiting takes no time, and looking at the clock ten minutes."""
    from gpucluster.operate.acceptance.runs.session import accept, seen
    from gpucluster.operate.acceptance.verdicts.commitments import Promises

    minutes = itertools.count(step=10)
    clock = SimpleNamespace(monotonic=lambda: 60.0 * next(minutes), sleep=lambda _: None)
    results = file.with_suffix(".results")
    with mock.patch("gpucluster.operate.acceptance.runs.collect.time", clock):
        accept(seen(None, force=True), results, Promises(), level=1, pairs="auto", say=lambda _: None)


def _scenario(file: Path) -> None:
    from gpucluster.sandbox.run.scenario_file import read_scenario
    from gpucluster.sandbox.run.seed import disturb, seed

    scenario, ledger = read_scenario(file), Ledger(file.with_suffix(".sqlite3"))
    seed(scenario, installed_sdks(site_packages(None)), ledger)
    disturb(scenario, ledger)


def _jobs(file: Path) -> None:
    from gpucluster.operate.rehearse.objects import read_manifests

    for manifest in read_manifests([file]):
        _ = (manifest.title, manifest.makes_pods)


def _configuration(file: Path) -> None:
    project = find_project(file.parent)
    assert project is not None
    private_config(project, "fuzz", file, file.with_name("private.yaml"))


READERS: Final[Mapping[str, Callable[[Path], Any]]] = {
    "the scenario": _scenario,
    "the rehearsed jobs": _jobs,
    "the sandbox's own configuration": _configuration,
    "the project of the sandbox": _project,
    "the measured cluster": _measured,
}
