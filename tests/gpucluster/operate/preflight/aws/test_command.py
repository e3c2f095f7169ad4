"""`gpucluster preflight` on AWS as a reader sees it, in files here: written anew with UPDATE_GOLDEN=1."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from moto.core.models import DEFAULT_ACCOUNT_ID

from gpucluster.operate.preflight.command import preflight
from tests.gpucluster.operate.preflight.aws.server import Server, served
from tests.gpucluster.operate.preflight.aws.test_account import expired
from tools.benchmarks.harness import copied

__all__ = ["expired"]
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of moto's account; no program is on the PATH."""
    project = copied(tmp_path / "project")
    stack = project / "stacks/Pulumi.aws-trial.yaml"
    stack.write_text(stack.read_text().replace("000000000000", DEFAULT_ACCOUNT_ID))
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("gpucluster.operate.preflight.machine.TELLS", {"aws": "http://127.0.0.1:1"})


def shown(name: str) -> None:
    """Compares the output with a file, except for room on this machine's disk."""
    done = CliRunner().invoke(preflight, ["--stack", "aws-trial", "--quiet"])
    assert (done.exit_code, type(done.exception)) == (1, SystemExit)
    text = re.sub(r"[\d,]+ GiB +fine", lambda found: "N GiB".ljust(len(found[0]) - 4) + "fine", done.output)
    if os.environ.get("UPDATE_GOLDEN"):
        (HERE / name).write_text(text)
    assert text == (HERE / name).read_text()


def test_of_an_empty_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moto has no versions and add-ons of EKS, and no images."""
    with served(Server(quota=0)) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        shown("empty.txt")


def test_without_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    shown("no_credentials.txt")


def test_with_expired_credentials(expired: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", expired)
    shown("expired.txt")
