"""The example on the real engine: what `watch` sees at the end of the program is what the engine then plans."""

from __future__ import annotations

import datetime
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.documents.report.report_json import report_json

EXAMPLE = Path(__file__).parents[1] / "example"


def _shape(resource: Resource) -> dict[str, Any]:
    return {
        "type": resource.type,
        "custom": resource.custom,
        "parent": resource.parent,
        "provider": resource.provider,
        "dependencies": {key: sorted(urns) for key, urns in resource.dependencies.items()},
    }


@pytest.mark.engine
def test_the_engine_plans_what_the_program_was_seen_to_declare(tmp_path: Path) -> None:
    for name in ("Pulumi.yaml", "Pulumi.dev.yaml", "__main__.py"):
        shutil.copy(EXAMPLE / name, tmp_path)
    seen_file = tmp_path / "seen.json"
    command = [
        sys.executable,
        "-m",
        "gpucluster",
        "sandbox",
        "pulumi",
        "preview",
        "--stack",
        "dev",
        "--json",
        "--show-sames",
    ]
    run = subprocess.run(
        [*command, "-c", f"example:seen={seen_file}"], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stderr
    plan = read_text(run.stdout, "plan")

    def known(value: Any) -> Any:
        from gpucluster.core.program.resources import UNKNOWN

        if isinstance(value, dict):
            return UNKNOWN if "unknown" in value else {key: known(item) for key, item in value.items()}
        return [known(item) for item in value] if isinstance(value, list) else value

    seen = Resources(
        (Resource(**{**record, "inputs": known(record["inputs"])}) for record in json.loads(seen_file.read_text())),
        default_regions={"aws": "us-east-1"},
    )
    assert {item.urn: _shape(item) for item in seen} == {item.urn: _shape(item) for item in plan}
    book = PriceBook(today=datetime.date(2026, 11, 21))
    totals = [report_json(estimate(source, book)).model_dump()["monthly"] for source in (seen, plan)]
    assert totals[0] == totals[1] == {"floor": "205124.80", "expected": "215201.60", "ceiling": "245432.00"}
