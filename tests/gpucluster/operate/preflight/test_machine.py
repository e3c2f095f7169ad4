"""The machine that runs `up` has the programs that the kubeconfig calls."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from gpucluster.operate.preflight import machine
from gpucluster.operate.preflight.asking import ask
from gpucluster.operate.preflight.machine import questions_of, this_machine
from tests.gpucluster.operate.preflight.conftest import DECLARED

NEEDED = {
    "aws": ["pulumi", "kubectl", "aws"],
    "gcp": ["pulumi", "kubectl", "gcloud", "gke-gcloud-auth-plugin"],
    "azure": ["pulumi", "kubectl", "az", "kubelogin"],
}


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of its own, without a program."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("cloud", NEEDED)
def test_missing_programs_stop_up_except_for_kubectl(cloud: str, programs: Path) -> None:
    found = ask(this_machine(cloud, programs, lambda: DECLARED), questions_of(cloud))
    by_name = {answer.question.subject: str(answer.verdict) for answer in found if answer.question.about == "program"}
    assert by_name == {name: "warns" if name == "kubectl" else "stops up" for name in NEEDED[cloud]}
    assert all("install it" in answer.fix for answer in found if answer.question.about == "program")


def test_a_program_on_the_path_is_found(programs: Path) -> None:
    for name in NEEDED["azure"]:
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    found = ask(this_machine("azure", programs, lambda: DECLARED), questions_of("azure"))
    paths = [(str(one.verdict), one.found) for one in found if one.question.about == "program"]
    assert paths == [("fine", str(programs / name)) for name in NEEDED["azure"]]


@pytest.mark.parametrize(("free", "verdict"), [(4, "fine"), (3, "warns")])
def test_a_full_disk_is_a_warning(free: int, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda _: SimpleNamespace(free=free * 1024**3))
    asked = [one for one in questions_of("aws") if one.about == "disk"]
    [disk] = ask(this_machine("aws", tmp_path, lambda: DECLARED), asked)
    assert (str(disk.verdict), disk.found) == (verdict, f"{free} GiB")


def test_a_public_api_on_aws_asks_for_the_address_of_this_machine(tmp_path: Path) -> None:
    asked = questions_of("aws", ("203.0.113.0/24",))
    assert [(one.about, one.needed, one.decides) for one in asked if one not in questions_of("aws")] == [
        ("address", "203.0.113.0/24", False)
    ]
    assert {one.about for one in asked} == {*this_machine("aws", tmp_path, lambda: DECLARED).askers}
