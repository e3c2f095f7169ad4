"""The whole command against Azure Resource Manager on this machine, as a reader sees it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.operate.preflight import command
from tests.gpucluster.operate.preflight.azure.resource_manager import ResourceManager
from tests.gpucluster.operate.preflight.azure.subscription import usage
from tests.gpucluster.operate.preflight.azure.test_account import REFRESH, az

__all__ = ["az"]
ROOT = Path(__file__).parents[5]
OUTPUTS = Path(__file__).parent / "outputs"


def _empty(manager: ResourceManager) -> None:
    """A subscription of which nobody has used anything: the caller owns it."""
    manager.answers |= {
        "providers": [{**one, "registrationState": "NotRegistered"} for one in manager.answers["providers"]],
        "feature": {"properties": {"state": "NotRegistered"}},
        "usages": [
            usage("cores", 10),
            usage("lowPriorityCores", 3),
            usage("standardNDSH100v5Family", 0),
            usage("StandardNCadsH100v5Family", 0),
            usage("standardDDSv5Family", 10),
        ],
    }


@pytest.mark.parametrize("name", ["empty", "no-login", "expired"])
def test_a_reader_sees_what_stops_up(
    name: str,
    az: Callable[..., None],
    manager: ResourceManager,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """UPDATE_GOLDEN=1 writes the outputs anew."""
    if name == "empty":
        az()
        _empty(manager)
    elif name == "expired":
        az(f"ERROR: {REFRESH}\nPlease run:\naz login")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(command, "questions_of", lambda *_: [])
    ran = CliRunner().invoke(command.preflight, ["--stack", "azure-trial"], env={"COLUMNS": "120"})
    assert ran.exit_code == 1, ran.exception
    file = OUTPUTS / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(ran.output, encoding="utf-8")
    assert ran.output == file.read_text(encoding="utf-8")


def test_the_answers_are_data_too(
    az: Callable[..., None], manager: ResourceManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    az()
    _empty(manager)
    monkeypatch.chdir(ROOT)
    ran = CliRunner().invoke(command.preflight, ["--stack", "azure-trial", "--format", "json", "--quiet"])
    found = json.loads(ran.stdout)
    assert found["identity"] == "ada@example.com in subscription research"
    [family] = [one for one in found["answers"] if one["subject"] == "standardNDSH100v5Family"]
    assert (family["needed"], family["verdict"], family["found"]) == (480, "stops up", "0 left: 0 of 0 in use")
