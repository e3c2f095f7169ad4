"""The workflows that refresh the price book and the table of versions: what they may, and what their scripts do."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.says import Says

WORKFLOWS = Path(__file__).parents[4] / ".github/workflows"
FILES = {
    "prices": [f"cost/prices/{cloud}.csv" for cloud in ("aws", "azure", "gcp")],
    "versions": ["gpucluster/core/catalog/versions.csv"],
}
CRONS = {"prices": "17 5 * * 1", "versions": "47 5 * * 1"}
BODIES = {"prices": "1 prices change\n", "versions": "1 prices change\n```\n2 behind\n```\n"}


@pytest.fixture(params=FILES)
def of(request: pytest.FixtureRequest) -> str:
    """prices or versions."""
    return request.param


@pytest.fixture
def workflow(of: str) -> dict[str, Any]:
    """The workflow; the key `on` is a boolean for YAML 1.1, as PyYAML reads it."""
    found = yaml.safe_load((WORKFLOWS / f"refresh-{of}.yml").read_text())
    return {("on" if key is True else key): value for key, value in found.items()}


def _script(workflow: Mapping[str, Any], job: str, name: str) -> str:
    (script,) = (step["run"] for step in workflow["jobs"][job]["steps"] if step.get("name") == name)
    return script


def _run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """As GitHub runs it, without what the caller is configured to do."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **variables}
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _program(file: Path, script: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_the_workflow_runs_every_week_and_what_reads_the_lists_may_write_nothing(
    workflow: Mapping[str, Any], of: str
) -> None:
    assert workflow["on"] == {"schedule": [{"cron": CRONS[of]}], "workflow_dispatch": None}
    assert workflow["permissions"] == {}
    jobs = workflow["jobs"]
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "refresh": {"contents": "read"},
        "propose": {"contents": "write", "pull-requests": "write"},
    }
    assert "secrets." not in str(jobs["propose"])
    assert "make" not in _script(workflow, "propose", "Propose")
    assert not any("cache" in step.get("uses", "") for job in jobs.values() for step in job["steps"])


@pytest.mark.parametrize("of", ["prices"], indirect=True)
@pytest.mark.parametrize(("key", "clouds"), [("", "aws azure"), ("k", "aws azure gcp")])
@pytest.mark.parametrize(("code", "ends"), [(0, 0), (1, 0), (2, 1), (3, 1)])
def test_rows_in_doubt_do_not_stop_it_and_a_list_that_fails_does(
    workflow: Mapping[str, Any], tmp_path: Path, key: str, clouds: str, code: int, ends: int
) -> None:
    gpucluster = tmp_path / ".venv/bin/gpucluster"
    _program(gpucluster, f'echo "$@" >> said; [ "$3" = check ] || exit {code}')
    done = _run(_script(workflow, "refresh", "Refresh"), tmp_path, GPUCLUSTER_GOOGLE_API_KEY=key)
    assert done.returncode == ends, done.stderr
    chosen = " ".join(f"--cloud {cloud}" for cloud in clouds.split())
    asked = Says(chosen, "--keep-going", "--format", "--output", "changes.md")
    assert (tmp_path / "said").read_text().splitlines() == [asked, *([] if ends else ["cost prices check"])]


@pytest.mark.parametrize("of", ["versions"], indirect=True)
@pytest.mark.parametrize(("code", "ends"), [(0, 0), (1, 0), (2, 1), (3, 1)])
def test_a_version_that_could_not_be_looked_up_does_not_stop_it(
    workflow: Mapping[str, Any], tmp_path: Path, code: int, ends: int
) -> None:
    _program(tmp_path / ".venv/bin/python", f'echo "$@" > said; exit {code}')
    _program(tmp_path / ".venv/bin/gpucluster", 'echo "$@"')
    done = _run(_script(workflow, "refresh", "Refresh"), tmp_path)
    assert done.returncode == ends, done.stderr
    assert (tmp_path / "said").read_text() == "-m tools.versions --changes changes.md\n"
    assert ends or (tmp_path / "now.txt").read_text() == "versions\n"


def test_its_options_are_those_of_the_command() -> None:
    from gpucluster.cost.commands.prices import refresh

    known = {name for option in refresh.params for name in (*option.opts, *option.secondary_opts)}
    assert {"--cloud", "--keep-going", "--format", "--output"} <= known


@pytest.fixture
def runner(of: str, tmp_path: Path) -> Path:
    """A checkout with a remote, what the first job left, and a `gh` that notes what it is asked."""
    _run("git init --quiet --bare --initial-branch main remote && git clone --quiet remote here 2> /dev/null", tmp_path)
    left = tmp_path / f"temp/{of}"
    for file in FILES[of]:
        for folder, text in ((tmp_path / "here", "old\n"), (left, "new\n" if file == FILES[of][0] else "old\n")):
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
    who = "-c user.name=a -c user.email=a@example.com"
    push = "git push --quiet origin HEAD:main"
    done = _run(f"git add . && git {who} commit --quiet --message first && {push}", tmp_path / "here")
    assert done.returncode == 0, done.stderr
    (left / "changes.md").write_text("1 prices change\n")
    (left / "now.txt").write_text("2 behind\n")
    (left / FILES[of][0]).with_name("evil.py").write_text("")
    _program(
        tmp_path / "bin/gh", 'echo "$@" >> "$HOME/../gh"; [ "$2" != list ] || cat "$HOME/../open" 2> /dev/null || true'
    )
    return tmp_path


def _proposed(workflow: Mapping[str, Any], runner: Path) -> list[str]:
    path = f"{runner / 'bin'}:{os.environ['PATH']}"
    script = _script(workflow, "propose", "Propose")
    done = _run(script, runner / "here", PATH=path, RUNNER_TEMP=str(runner / "temp"), GH_TOKEN="t")
    assert done.returncode == 0, done.stderr
    return (runner / "gh").read_text().splitlines() if (runner / "gh").exists() else []


def test_the_changes_of_the_book_alone_become_a_pull_request(
    workflow: Mapping[str, Any], runner: Path, of: str
) -> None:
    asked = _proposed(workflow, runner)
    assert [line.split()[:2] for line in asked] == [["auth", "setup-git"], ["pr", "list"], ["pr", "create"]]
    changed = _run(f"git diff --name-only main refresh-{of}", runner / "remote").stdout
    assert changed.splitlines() == FILES[of][:1]
    assert (runner / "temp/body.md").read_text() == BODIES[of]


def test_a_pull_request_that_is_open_gets_the_new_list(workflow: Mapping[str, Any], runner: Path) -> None:
    (runner / "open").write_text("7\n")
    assert [line.split()[:3] for line in _proposed(workflow, runner)][-1] == ["pr", "edit", "7"]


def test_a_book_that_stays_as_it_is_proposes_nothing(workflow: Mapping[str, Any], runner: Path, of: str) -> None:
    (runner / "temp" / of / FILES[of][0]).write_text("old\n")
    assert _proposed(workflow, runner) == []
