"""The workflows that reap on a schedule, one for each cloud: they differ in the login alone."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.core.catalog.clouds import clouds
from gpucluster.operate.account.programs import programs_of
from tests.waiting import LIMIT

ROOT = Path(__file__).parents[5]
FILES: Final = {cloud: ROOT / f"examples/workflows/reap-{cloud}.yml" for cloud in clouds()}


@pytest.mark.parametrize("cloud", FILES)
def test_a_linter_of_its_security_finds_nothing(cloud: str) -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    command = [str(zizmor), "--offline", "--no-progress", "--strict-collection", "--color", "never", str(FILES[cloud])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _reaping(cloud: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The whole workflow, and its step that reaps."""
    found = yaml.safe_load(FILES[cloud].read_text())
    return found, found["jobs"]["reap"]["steps"][-1]


@pytest.mark.parametrize("cloud", FILES)
def test_the_workflow_runs_a_command_that_there_is_and_never_two_at_once(cloud: str) -> None:
    found, step = _reaping(cloud)
    [line] = [line for line in step["run"].splitlines() if "gpucluster" in line]
    assert line == ".venv/bin/gpucluster reap --all --yes"
    for option in line.split()[2:]:
        assert option in CliRunner().invoke(main, ["reap", "--help"]).output
    assert found["concurrency"] == {"group": "reap", "cancel-in-progress": False}


@pytest.mark.parametrize("cloud", FILES)
def test_what_a_runner_needs_is_in_its_head(cloud: str) -> None:
    head = FILES[cloud].read_text().partition("\nname:")[0].replace("\n# ", " ")
    *first, last = programs_of(cloud)
    assert f"A runner needs {', '.join(first)} and {last}." in head
    variables = set(re.findall(r"(?:vars|secrets)\.(\w+)", FILES[cloud].read_text()))
    assert {name for name in variables if not re.search(rf"\b{name}\b", head)} == set()


@pytest.mark.parametrize("cloud", FILES)
def test_its_script_is_one_and_gets_all_that_it_reads(cloud: str) -> None:
    _, step = _reaping(cloud)
    done = subprocess.run(["bash", "-n"], input=step["run"], capture_output=True, text=True, timeout=LIMIT, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    read = set(re.findall(r"\$(\w+)", step["run"]))
    set_here = set(re.findall(r"^(\w+)=", step["run"], re.MULTILINE))
    given = {"ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL"}  # by GitHub, for `id-token: write`
    assert read <= {*step["env"]} | set_here | given


@pytest.mark.parametrize("cloud", [name for name in FILES if name != "aws"])
def test_all_but_the_login_is_that_of_the_others(cloud: str) -> None:
    (found, step), (other, same) = _reaping(cloud), _reaping("aws")
    for one in (step, same):
        one["run"] = one["run"].splitlines()[-2:]
        one["env"] = {name: one["env"][name] for name in ("STATE", "PULUMI_CONFIG_PASSPHRASE")}
    assert found == other
