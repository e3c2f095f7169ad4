"""Negotiated prices on a stack that stands, on the real engine: set, after a failure, beside a second stack, changed
and removed again. OpenCost's sheet and Karpenter's overlays have them from the same file.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(900)]

OVERLAY: Final = "kubernetes:karpenter.sh/v1alpha1:NodeOverlay"
MACHINE: Final = "p5.4xlarge"
"""Of the elastic pool of the trial on AWS, which is bought on demand and as Spot."""
LIST: Final = Decimal("6.88")
COLUMNS: Final = "provider,region,sku,unit,purchase,term,usd_per_unit,as_of,source\n"
PRICE: Final = "trial-elastic-on-demand-price"
IN_USE: Final = {"trial": "update", "trial-telemetry-opencost-prices": "update"}
"""What a preview does to a cluster whose prices change: its notes, and OpenCost's sheet."""
SAID: Final = "etcdserver: request timed out"


def test_own_prices_enter_a_cluster_that_stands_change_and_leave_it(
    tmp_path: Path, copy: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = copy(tmp_path)
    specs, own = project.path / "stacks/specs", tmp_path / "own.csv"
    shutil.copy(project.path / "stacks/Pulumi.aws-trial.yaml", project.path / "stacks/Pulumi.aws-second.yaml")
    project.change("stacks/Pulumi.aws-second.yaml", "specs/trial.yaml", "specs/second.yaml")
    trial = yaml.safe_load((specs / "trial.yaml").read_text())
    trial["telemetry"] = {"opencost": True}
    trial["elastic"]["pools"]["dev"]["purchase"] = ["spot", "on-demand"]
    (specs / "second.yaml").write_text(yaml.safe_dump({**trial, "name": "second"}))

    def write(*, usd: str | None) -> None:
        """The price of the contract, or none and a spec that asks for none."""
        if usd is None:
            monkeypatch.delenv("GPUCLUSTER_PRICES", raising=False)
        else:
            own.write_text(f"{COLUMNS}aws,us-east-1,{MACHINE},instance-hour,on_demand,,{usd},2026-11-01,contract\n")
            monkeypatch.setenv("GPUCLUSTER_PRICES", str(own))
        elastic = {**trial["elastic"], "own_prices": usd is not None}
        (specs / "trial.yaml").write_text(yaml.safe_dump({**trial, "elastic": elastic}))

    def up(stack: str) -> None:
        done = project.pulumi("up", "--yes", "--skip-preview", stack=stack)
        assert done.code == 0, done.text

    def changes() -> dict[str, str]:
        done = project.pulumi("preview", "--json", "--show-sames")
        assert done.code == 0, done.text
        steps = json.loads(done.out)["steps"]
        return {step["urn"].rpartition("::")[2]: step["op"] for step in steps if step["op"] != "same"}

    def prices(stack: str) -> tuple[dict[str, str], Decimal]:
        """(overlay -> its price, the machine's price in OpenCost's sheet)."""
        state = json.loads(project.pulumi("stack", "export", stack=stack).out)["deployment"]["resources"]
        overlays = {
            one["inputs"]["metadata"]["name"]: one["inputs"]["spec"]["price"] for one in state if one["type"] == OVERLAY
        }
        maps = [one["inputs"]["data"] for one in state if one["type"] == "kubernetes:core/v1:ConfigMap"]
        sheet = next(text for data in maps for text in data.values() if "MarketPriceHourly" in text)
        [row] = [row for row in csv.DictReader(io.StringIO(sheet)) if row["InstanceType"] == MACHINE]
        return overlays, Decimal(row["MarketPriceHourly"])

    write(usd=None)
    up("aws-trial")
    assert prices("aws-trial") == ({}, LIST)

    write(usd="5.50")
    assert changes() == {**IN_USE, "trial-elastic-karpenter": "update", PRICE: "create"}
    scenario = project.path / "fault.yaml"
    fault = {"type": OVERLAY, "name": "elastic-on-demand", "times": 1, "fails": "refused", "error": SAID}
    scenario.write_text(yaml.safe_dump({"operations": [fault]}))
    command = ("pulumi", "up", "--yes", "--skip-preview", "--stack", "aws-trial")
    ended = project.run("sandbox", "--scenario", str(scenario), *command)
    assert ended.code != 0
    assert SAID in ended.text
    assert "Traceback" not in ended.text
    up("aws-trial")
    assert prices("aws-trial") == ({"elastic-on-demand": "5.5"}, Decimal("5.50"))

    write(usd="5.20")
    up("aws-second")
    assert prices("aws-second") == ({}, Decimal("5.20"))
    assert changes() == {**IN_USE, PRICE: "update"}
    up("aws-trial")
    assert prices("aws-trial") == ({"elastic-on-demand": "5.2"}, Decimal("5.20"))

    write(usd=None)
    assert changes() == {**IN_USE, "trial-elastic-karpenter": "update", PRICE: "delete"}
    up("aws-trial")
    assert prices("aws-trial") == ({}, LIST)
    assert prices("aws-second") == ({}, Decimal("5.20"))
    for stack in ("aws-trial", "aws-second"):
        gone = project.pulumi("destroy", "--yes", "--skip-preview", stack=stack)
        assert gone.code == 0, gone.text
    assert project.ledger() == []
