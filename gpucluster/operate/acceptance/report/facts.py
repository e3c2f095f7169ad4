"""Verdicts, measurements and inventory as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from gpucluster.operate.acceptance.inventory import inventory_of
from gpucluster.operate.acceptance.logs.read import Log
from gpucluster.operate.acceptance.measurements import Measurement
from gpucluster.operate.acceptance.verdicts.verdict import Verdict, worst


def json_report(verdicts: Sequence[Verdict], logs: Sequence[Log]) -> str:
    """An object: overall outcome, verdicts, inventory, and measurements by their kind. Bandwidth in GB/s, sizes in
    bytes.
    """
    return json.dumps(
        {
            "outcome": worst(verdicts),
            "verdicts": [dataclasses.asdict(verdict) for verdict in verdicts],
            "inventory": dataclasses.asdict(inventory_of(logs)),
            "measurements": [_measurement(measurement) for log in logs for measurement in log.measurements],
        },
        indent=2,
    )


def _measurement(measurement: Measurement) -> dict[str, Any]:
    kind = type(measurement).__name__
    return {"kind": kind[0].lower() + kind[1:], **dataclasses.asdict(measurement)}
