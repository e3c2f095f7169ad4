"""`gpucluster preflight` on Google Cloud as a reader sees it, in files here: written anew with UPDATE_GOLDEN=1."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.operate.preflight.command import preflight
from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused, api_off
from tests.gpucluster.operate.preflight.gcp.world import metric, quotas

HERE = Path(__file__).parent
ROOT = HERE.parents[4]


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def shown(name: str, exit_code: int = 1) -> None:
    """Compares the command's output with a file, except for room on this machine's disk."""
    done = CliRunner().invoke(preflight, ["--stack", "gcp-trial", "--quiet"])
    assert (done.exit_code, done.exception is None or isinstance(done.exception, SystemExit)) == (exit_code, True)
    text = re.sub(r"[\d,]+ GiB +fine", lambda found: "N GiB".ljust(len(found[0]) - 4) + "fine", done.output)
    if os.environ.get("UPDATE_GOLDEN"):
        (HERE / name).write_text(text)
    assert text == (HERE / name).read_text()


@pytest.mark.usefixtures("login")
def test_of_an_empty_project(google: Google) -> None:
    def off(call: Call) -> Any:
        raise api_off(f"{call.id.partition('.')[0]}.googleapis.com")

    def states(call: Call) -> Any:
        return {"services": [{"name": name, "state": "DISABLED"} for name in call.given["names"]]}

    google.answers |= {name: off for name in google.answers if not name.startswith(("token", "oauth2"))}
    google.answers["serviceusage.services.batchGet"] = states
    shown("empty.txt")


@pytest.mark.usefixtures("login")
def test_of_a_project_without_quota(google: Google) -> None:
    nothing = {"GPUS_ALL_REGIONS": (0, 0), "PREEMPTIBLE_NVIDIA_H100_GPUS": (0, 0), "PREEMPTIBLE_CPUS": (0, 0)}
    google.answers["compute.regions.get"] = lambda _: quotas(**nothing, IN_USE_ADDRESSES=(4, 4))
    google.answers["compute.projects.get"] = lambda _: quotas(**nothing, NETWORKS=(5, 1))
    google.answers["serviceusage.services.consumerQuotaMetrics.get"] = lambda _: metric("x", (0, {}))
    shown("no_quota.txt")


def test_without_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    shown("no_credentials.txt")


@pytest.mark.usefixtures("login")
def test_with_expired_credentials(google: Google) -> None:
    def expired(_: Call) -> Any:
        answer = {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}
        raise Refused(400, body=answer)

    google.answers["token"] = expired
    shown("expired.txt")
