"""Verdicts, measurements and inventory as JSON."""

from __future__ import annotations

from typing import Any

from gpucluster.core.documents.model import Model, command_schema
from gpucluster.operate.acceptance.inventory import Inventory
from gpucluster.operate.acceptance.measurements import Measurement
from gpucluster.operate.acceptance.verdicts.verdict import Outcome, Verdict


class Acceptance(Model):
    """Verdicts on a cluster. Bandwidth in GB/s (10^9 bytes), sizes in bytes."""

    outcome: Outcome
    verdicts: list[Verdict]
    inventory: Inventory
    measurements: list[Measurement]


def acceptance_schema() -> dict[str, Any]:
    """JSON Schema of `gpucluster acceptance report --format json`."""
    return command_schema(Acceptance, "acceptance report")
