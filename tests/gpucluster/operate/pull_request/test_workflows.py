"""The workflows and the action: what they may, what they run, and what they never do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.says import Says

ROOT = Path(__file__).parents[4]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTION = ROOT / ".github/actions/pr-check/action.yml"
CACHE = ROOT / ".github/actions/cache/action.yml"
FILES = [*WORKFLOWS, ACTION, CACHE]
PAGE = ROOT / "docs/plan/pull-request-check.md"
BIN = Path(sys.executable).parent
PUBLISHER = "pypa/gh-action-pypi-publish"
"""The one action that is not of GitHub itself."""


def read(name: str) -> dict[str, Any]:
    """A workflow; the key `on` is a boolean for YAML 1.1, as PyYAML reads it."""
    found = yaml.safe_load((ROOT / ".github/workflows" / name).read_text())
    return {("on" if key is True else key): value for key, value in found.items()}


def steps(file: Path) -> Iterator[dict[str, Any]]:
    found = yaml.safe_load(file.read_text())
    for job in found["jobs"].values() if "jobs" in found else [found["runs"]]:
        yield from job["steps"]


def test_a_linter_of_their_security_finds_nothing() -> None:
    command = [str(BIN / "zizmor"), "--offline", "--no-progress", "--strict-collection", "--color", "never", ".github"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _pages_files(folder: Path) -> dict[str, Any]:
    """The workflows of the page as files, with a commit for the placeholder; parsed, by name."""
    folder.mkdir(parents=True)
    found = {}
    for text in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL):
        text = text.replace("OWNER/TOOLS", "octo/tools").replace("COMMIT", "0" * 40)
        read = yaml.safe_load(text)
        (folder / f"{read['name']}.yml").write_text(text)
        found[read["name"]] = read
    return found


def test_the_pages_workflows_are_whole_and_safe_and_do_what_those_of_this_repository_do(tmp_path: Path) -> None:
    found = _pages_files(tmp_path / ".github/workflows")
    command = [str(BIN / "zizmor"), "--offline", "--no-progress", "--strict-collection", "--color", "never", ".github"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(found) == {"preview", "cache", "comment"}
    own = read("preview.yml")["jobs"]["preview"]
    (job,) = found["preview"]["jobs"].values()
    assert (job["permissions"], job["steps"][0]) == (own["permissions"], own["steps"][0])
    assert set(job["steps"][-1]["with"]) < set(yaml.safe_load(ACTION.read_text())["inputs"])
    (cached,) = found["cache"]["jobs"].values()
    assert set(cached["steps"][0]["with"]) == set(yaml.safe_load(CACHE.read_text())["inputs"])
    mine, (theirs,) = read("comment.yml"), found["comment"]["jobs"].values()
    assert found["comment"][True] == mine["on"]
    (its,) = mine["jobs"].values()
    assert (theirs["if"], theirs["permissions"], theirs["steps"][1:]) == (
        its["if"],
        its["permissions"],
        its["steps"][1:],
    )


def test_the_one_that_runs_a_pull_request_reads_and_has_no_secret() -> None:
    found = read("preview.yml")
    assert found["on"] == {"pull_request": None}
    assert found["permissions"] == {}
    assert {name: job["permissions"] for name, job in found["jobs"].items()} == {"preview": {"contents": "read"}}
    text = (ROOT / ".github/workflows/preview.yml").read_text() + ACTION.read_text()
    assert not re.search(r"secrets\.|github\.token|GITHUB_TOKEN", text)


def test_the_projects_own_tests_run_on_every_pull_request_and_all_of_them_every_night() -> None:
    pull_request, nightly = read("test.yml"), read("nightly.yml")
    assert pull_request["on"] == {"pull_request": None, "push": {"branches": ["main"]}}
    assert list(nightly["on"]) == ["schedule", "workflow_dispatch"]
    [test], [night] = pull_request["jobs"].values(), nightly["jobs"].values()
    assert [step["run"] for step in test["steps"] if "run" in step] == ["bash .ci/run"]
    assert [step["run"] for step in night["steps"] if "run" in step] == ['make "$TARGET"']
    assert night["strategy"]["matrix"]["target"] == ["test-all", "test-alone", "mutants", "fuzz"]
    for found in (pull_request, nightly):
        assert (found["permissions"], [job["permissions"] for job in found["jobs"].values()]) == (
            {},
            [{"contents": "read"}],
        )
        assert "secrets." not in str(found)


def test_a_release_is_built_from_its_tag_and_published_by_jobs_without_code_of_the_repository() -> None:
    found = read("release.yml")
    assert (found["on"], found["permissions"]) == ({"push": {"tags": ["v*"]}}, {})
    assert {name: (job["permissions"], job.get("needs")) for name, job in found["jobs"].items()} == {
        "test": ({"contents": "read"}, None),
        "build": ({"contents": "read"}, None),
        "publish": ({"id-token": "write", "attestations": "write"}, ["test", "build"]),
        "announce": ({"contents": "write"}, "publish"),
    }
    for name in ("publish", "announce"):
        assert not any("checkout" in step.get("uses", "") for step in found["jobs"][name]["steps"])
    assert found["jobs"]["publish"]["environment"] == "pypi"
    text = (ROOT / ".github/workflows/release.yml").read_text()
    assert not re.search(r"secrets\.|cache@|cache/restore@|password", text)


def test_the_notes_of_a_release_are_its_part_of_the_changelog(tmp_path: Path) -> None:
    [script] = [step["run"] for step in read("release.yml")["jobs"]["build"]["steps"] if "awk" in step.get("run", "")]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    (tmp_path / "dist").mkdir()
    (tmp_path / f"dist/gpucluster-{version}.tar.gz").touch()
    changes = (ROOT / "CHANGELOG.md").read_text()
    (tmp_path / "CHANGELOG.md").write_text(changes)
    codes = [
        subprocess.run(
            ["bash", "-e", "-c", script], cwd=tmp_path, env={**os.environ, "GITHUB_REF_NAME": tag}, check=False
        ).returncode
        for tag in ("v99.0.0", f"v{version}")
    ]
    assert codes == [1, 0]
    [part] = re.findall(rf"^## {re.escape(version)} - .*?\n(.*?)(?=^## |\Z)", changes, re.MULTILINE | re.DOTALL)
    assert (tmp_path / "notes.md").read_text() == part


def test_the_site_is_published_if_the_repository_opts_in() -> None:
    found = read("pages.yml")
    assert {name: job["permissions"] for name, job in found["jobs"].items()} == {
        "build": {"contents": "read"},
        "publish": {"id-token": "write", "pages": "write"},
    }
    assert found["jobs"]["build"]["if"] == "vars.PUBLISH_PAGES == 'true'"
    assert found["jobs"]["publish"]["needs"] == "build"


def test_the_one_that_writes_runs_the_default_branch_alone() -> None:
    found = read("comment.yml")
    assert found["on"] == {"workflow_run": {"workflows": [read("preview.yml")["name"]], "types": ["completed"]}}
    [job] = found["jobs"].values()
    assert job["permissions"] == {"actions": "read", "contents": "read", "pull-requests": "write"}
    checkouts = [step for step in job["steps"] if "checkout" in step.get("uses", "")]
    assert [step["with"] for step in checkouts] == [{"persist-credentials": False}]
    assert [step["run"] for step in job["steps"] if "run" in step] == [
        "make",
        '.venv/bin/gpucluster guardrails pr-check comment "$RUNNER_TEMP/evidence/pr-check.json"',
    ]
    assert not any("cache" in step.get("uses", "") for step in job["steps"])


def test_a_cache_is_written_from_the_default_branch_alone() -> None:
    writing = {
        file
        for file in FILES
        for step in steps(file)
        if re.search(r"actions/cache(/save)?@|/actions/cache$", step.get("uses", ""))
    }
    assert writing == {CACHE, ROOT / ".github/workflows/cache.yml"}
    assert list(read("cache.yml")["on"]) == ["push"]
    assert read("cache.yml")["on"]["push"]["branches"] == ["main"]


def test_the_cache_has_what_previews_and_rehearsals_need_under_a_key_of_its_sources(tmp_path: Path) -> None:
    [job] = read("cache.yml")["jobs"].values()
    assert job["steps"][-1] | {"uses": None} == {"uses": None, "with": {"live": "true"}}
    [build] = [step["run"] for step in steps(CACHE) if step.get("name") == "Build"]
    assert '/gpucluster" sandbox engine' in build
    assert '/gpucluster" sandbox kubernetes --live' in build
    uses = [(file, step) for file in FILES for step in steps(file) if "actions/cache/" in step.get("uses", "")]
    assert len({step["with"]["path"] for _, step in uses}) == 1
    assert {step["with"]["key"] for file, step in uses if file == CACHE} == {"${{ steps.tools.outputs.key }}"}
    [older] = {step["with"]["restore-keys"] for file, step in uses if file != CACHE}
    [first, again] = (_key(tmp_path) for _ in range(2))
    assert first == again
    assert first.startswith(older.replace("${{ runner.os }}", "Linux").replace("${{ runner.arch }}", "X64"))
    keys = {first}
    for source in _SOURCES:
        assert {source, f"{source}/**"} & {*read("cache.yml")["on"]["push"]["paths"]}
        with (tmp_path / (source if source.endswith(".lock") else f"{source}/more")).open("a") as file:
            file.write("changed")
        keys.add(_key(tmp_path))
    assert len(keys) == 1 + len(_SOURCES)


_SOURCES = ("requirements.lock", "sandbox/engine", "sandbox/api_server", "sandbox/live")


def _key(tools: Path) -> str:
    """The key that the action gives the cache of a folder of the tools, by its own script."""
    for source in _SOURCES:
        (tools / source).parent.mkdir(parents=True, exist_ok=True)
        (tools / source).touch() if source.endswith(".lock") else (tools / source).mkdir(exist_ok=True)
    (tools / "sandbox/engine/one").write_text("1")
    [script] = [step["run"] for step in steps(CACHE) if step.get("id") == "tools"]
    (output := tools / "output").write_text("")
    variables = {
        "TOOLS": str(tools),
        "RUNNER_OS": "Linux",
        "RUNNER_ARCH": "X64",
        "LIVE": "true",
        "GITHUB_OUTPUT": str(output),
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    subprocess.run(command, env={"PATH": os.environ["PATH"], **variables}, check=True, timeout=60)
    return output.read_text().removeprefix("key=").strip()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_actions_are_pinned_and_text_of_an_event_is_never_part_of_a_script(file: Path) -> None:
    text = file.read_text()
    assert "pull_request_target" not in text
    for step in steps(file):
        assert "${{" not in step.get("run", ""), step
        if "uses" in step and not step["uses"].startswith("./"):
            assert re.fullmatch(rf"(actions/[\w/-]+|{PUBLISHER})@[0-9a-f]{{40}}", step["uses"]), step
    for line in text.splitlines():
        if re.search(r"uses: [\w-]+/", line):
            assert re.search(r" # v\d+\.\d+\.\d+$", line), line
        if "actions/checkout@" in line:
            assert "persist-credentials: false" in text


def test_one_version_of_an_action_is_used_everywhere() -> None:
    pins = {
        step["uses"].split("/")[1].split("@")[0]: step["uses"]
        for file in FILES
        for step in steps(file)
        if "@" in step.get("uses", "")
    }
    used = [step["uses"] for file in FILES for step in steps(file) if "@" in step.get("uses", "")]
    assert {one.rpartition("@")[2] for one in used} == {one.rpartition("@")[2] for one in pins.values()}


def test_the_action_gives_every_input_to_the_command_by_its_environment() -> None:
    found = yaml.safe_load(ACTION.read_text())
    [check] = [step for step in steps(ACTION) if step.get("name") == "Check"]
    given = {
        name.removeprefix("PR_CHECK_").lower().replace("_", "-")
        for name in check["env"]
        if name.startswith("PR_CHECK_")
    }
    assert given == set(found["inputs"])
    from gpucluster.operate.pull_request.command import command

    known = {option.envvar for option in command.params if getattr(option, "envvar", None)}
    assert {name for name in check["env"] if name.startswith("PR_CHECK_")} == known


def test_the_template_for_gitlab_runs_the_same_command() -> None:
    job = yaml.safe_load((ROOT / "ci/gitlab.yml").read_text())["pr-check"]
    assert job["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'}]
    assert job["script"][-1] == Says(
        "$TOOLS/.venv/bin/gpucluster", "pr-check", "--evidence", "pr-check.json", "--output", "pr-check.md"
    )
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["paths"] == ["pr-check.md", "pr-check.json", "cost-reports"]
    assert job["variables"]["PR_CHECK_REPORTS"] == ""
    # GitLab keeps nothing outside of the project's folder, and what is in it must be no part of the change.
    [kept] = job["cache"]["paths"]
    assert job["variables"]["GPUCLUSTER_CACHE"] == f"$CI_PROJECT_DIR/{kept}"
    assert job["script"][0] == f"mkdir -p {kept} && echo '*' > {kept}/.gitignore"
    assert "$CI_MERGE_REQUEST_IID" in job["cache"]["key"]
