"""One live cluster for the scenarios of each cloud; the time that each took goes into its table."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

# Scenarios stand in modules of their own: their assertions say what they found, too.
pytest.register_assert_rewrite(
    *(
        f"tests.live.{name}"
        for name in (
            "accepted",
            "elastic",
            "everywhere",
            "harness",
            "listed",
            "members",
            "queue_counts",
            "rehearsed",
            "teams",
            "wrong",
        )
    )
)

from gpucluster.sandbox.api_server import binaries  # noqa: E402 - the same
from gpucluster.sandbox.live.programs import programs  # noqa: E402 - the same
from tests.live.harness import Live, living  # noqa: E402 - once it is to be rewritten

ROOT = Path(__file__).parents[2]
TIMES = Path(__file__).with_name("times")
CORE = (
    "test_a_broken_node_is_drained_by_itself_and_its_job_goes_on_on_the_spare",
    "test_a_machine_comes_for_a_job_and_goes_after_it",
    "test_a_rehearsal_tells_where_the_three_examples_run_and_for_how_much",
)
"""Scenarios on AWS that every pull request runs: queues and node health, Karpenter, rehearsals."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the core."""
    for item in items:
        if item.nodeid.startswith("tests/live/test_on_aws.py::") and item.name in CORE:
            item.add_marker(pytest.mark.core)


def need_programs() -> None:
    """Skips where they are not built."""
    if not binaries.folder().exists() or not all(program.is_there() for program in programs()):
        pytest.skip("live scenarios need programs that `make builds` builds, once")


def brought_up(path: Path, cloud: str, spec: Path | None = None) -> Iterator[Live]:
    """The trial stack of a cloud, alive in a project of its own. Where GPUCLUSTER_LIVE_PROJECT names a project in which
    it stands already, it is that one. spec: of the stack, where it shall not be the trial's with a bucket, an
    identity of jobs and LeaderWorkerSets.
    """
    need_programs()
    stack, given = f"{cloud}-trial", os.environ.get("GPUCLUSTER_LIVE_PROJECT")
    if given is None:
        shutil.copy(ROOT / "Pulumi.yaml", path)
        for folder in ("stacks", "policies"):
            shutil.copytree(ROOT / folder, path / folder, ignore=shutil.ignore_patterns("__pycache__"))
        asked = path / "stacks/specs/trial.yaml"
        asked.write_text(_with_data(asked) if spec is None else spec.read_text())
        (path / ".venv").symlink_to(ROOT / ".venv")
        sandbox(path, "--kubernetes", "live", "pulumi", "up", "--yes", "--skip-preview", "--stack", stack)
    with living(Path(given or path), stack, cloud) as live:
        yield live
    if given is None:
        sandbox(path, "stop", "--stack", stack)


def _with_data(spec: Path) -> str:
    fields = yaml.safe_load(spec.read_text())
    fields["storage"]["bucket"] = {"protect": False}
    fields["identities"] = {"data": {"writes": ["own"]}}
    fields["jobs"] = {"leader_worker_sets": True}
    return yaml.safe_dump(fields, sort_keys=False)


def sandbox(path: Path, *args: str) -> None:
    """Runs a command of the sandbox in a project."""
    command = [str(Path(sys.executable).parent / "gpucluster"), "sandbox", *args]
    done = subprocess.run(command, cwd=path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(autouse=True)
def scenario(request: pytest.FixtureRequest) -> Iterator[None]:
    """Leaves the cluster as it was; with UPDATE_GOLDEN=1 keeps the seconds that a scenario took, where it held."""
    if "live" not in request.fixturenames:
        yield
        return
    live: Live = request.getfixturevalue("live")
    start, failed = time.monotonic(), request.session.testsfailed
    yield
    seconds = round(time.monotonic() - start)
    live.clean()
    if os.environ.get("UPDATE_GOLDEN") and request.session.testsfailed == failed:
        file = TIMES / f"{live.cloud}.json"
        known = json.loads(file.read_text()) if file.exists() else {}
        known[request.node.name] = seconds
        file.write_text(json.dumps(dict(sorted(known.items())), indent=2) + "\n")
