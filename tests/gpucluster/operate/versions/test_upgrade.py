"""`gpucluster upgrade --plan` on the trials that stand."""

from __future__ import annotations

import datetime
import gzip
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.core.program.readers.files import read_text
from gpucluster.operate.versions import running_versions as running_versions_module
from gpucluster.operate.versions import upgrade
from gpucluster.operate.versions.pins import Pin, pins
from gpucluster.operate.versions.running_versions import running_versions
from gpucluster.operate.versions.upgrade import next_version

HERE = Path(__file__).parent
STANDING = HERE.parents[2] / "stacks/standing"


class Day(datetime.datetime):
    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return datetime.datetime(2026, 11, 23, tzinfo=tz)


def state_of(cloud: str, **changes: str) -> str:
    """A state as `pulumi stack export` gives it. changes: versions of the control plane to put in place of its own."""
    resources = json.loads(gzip.decompress((STANDING / f"{cloud}-trial.json.gz").read_bytes()))
    for it in resources:
        if it["urn"].endswith("::trial-control-plane-cluster"):
            it["outputs"] |= changes
    return json.dumps({"version": 3, "deployment": {"manifest": {}, "resources": resources}})


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_what_is_old_what_ends_and_the_way_up(cloud: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """UPDATE_GOLDEN=1 writes it anew."""
    monkeypatch.setattr(upgrade.datetime, "datetime", Day)
    monkeypatch.setattr(running_versions_module, "pins", lambda: [_one_newer(pin) for pin in pins()])
    done = CliRunner().invoke(upgrade.upgrade, ["--plan", "--state", "-"], input=state_of(cloud))
    golden = HERE / f"golden/{cloud}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(_on_a_day(done.output))
    assert (done.exit_code, _on_a_day(done.output)) == (0, golden.read_text())


def _one_newer(pin: Pin) -> Pin:
    """Of charts, what the table's next refresh does not change."""
    if pin.kind != "chart":
        return pin
    stays = "" if pin.name == "jobset" else "a reason"
    return replace(pin, newest=replace(pin.newest, version="99.0.0", as_of="2026-11-01", stays=stays))


def _on_a_day(text: str) -> str:
    return re.sub(r"newest known on \d{4}-\d\d-\d\d", "newest known on DAY", text)


@pytest.mark.parametrize(
    ("cloud", "changes", "next_one"),
    [
        ("aws", {"version": "1.33"}, "1.34"),
        ("aws", {"version": "1.36"}, None),
        ("gcp", {"masterVersion": "1.34.1-gke.1829001"}, "1.35"),
        ("azure", {"currentKubernetesVersion": "1.36.2"}, "1.37"),
    ],
)
def test_the_way_leads_to_the_next_minor_version_alone(
    cloud: str, changes: dict[str, str], next_one: str | None
) -> None:
    assert next_version(running_versions(read_text(state_of(cloud, **changes), "state"))) == next_one


def test_nodes_behind_and_support_that_has_ended_are_said() -> None:
    text = state_of("aws", version="1.36")
    told = CliRunner().invoke(upgrade.upgrade, ["--plan", "--state", "-"], input=text).output
    assert "trial-training-nodes: GPU nodes, 1.35.0-00000000, 1 minor version behind" in told
    assert "No newer version is known" in told
    text = state_of("aws", version="1.38")
    far = CliRunner().invoke(upgrade.upgrade, ["--plan", "--state", "-"], input=text).output
    assert "1.35.0-00000000, 3 minor versions behind: EKS upgrades the control plane only after it" in far
    old = CliRunner().invoke(upgrade.upgrade, ["--plan", "--state", "-"], input=state_of("aws", version="1.33")).output
    assert "Standard support of Kubernetes 1.33 ends on 2026-07-29, " in old
    assert " days ago\n" in old


def test_a_state_without_a_cluster_is_refused() -> None:
    empty = json.dumps({"version": 3, "deployment": {"manifest": {}, "resources": []}})
    done = CliRunner().invoke(upgrade.upgrade, ["--plan", "--state", "-"], input=empty)
    assert "the state has no EKS, GKE or AKS cluster" in str(done.exception)


def test_a_version_that_is_none_is_refused_with_its_value() -> None:
    done = CliRunner().invoke(upgrade.upgrade, ["--plan", "--state", "-"], input=state_of("aws", version="one"))
    assert "version 'one'" in str(done.exception)
    assert "1.35" in str(done.exception)
