"""Verdicts, measurements and inventory as JSON."""

from __future__ import annotations

from typing import Any

from gpucluster.core.documents.model import Maybe, Model, command_schema
from gpucluster.operate.acceptance.inventory import Inventory
from gpucluster.operate.acceptance.measurements import Measurement
from gpucluster.operate.acceptance.verdicts.goodput import Lost
from gpucluster.operate.acceptance.verdicts.verdict import Outcome, Verdict


class LogFile(Model):
    """A log that the verdicts are from. sha256: of its content, null if unknown."""

    name: str
    sha256: Maybe


class Acceptance(Model):
    """Verdicts on a cluster. Bandwidth in GB/s (10^9 bytes), sizes in bytes, money as text in USD."""

    outcome: Outcome
    verdicts: list[Verdict]
    inventory: Inventory
    lost: Lost | None
    logs: list[LogFile]
    measurements: list[Measurement]


def acceptance_schema() -> dict[str, Any]:
    """JSON Schema of `gpucluster acceptance report --format json`."""
    return command_schema(Acceptance, "acceptance report")
