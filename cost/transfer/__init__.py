"""Data transfer: duration, and the cost of leaving a cloud."""

from __future__ import annotations

from gpucluster.cost.transfer.duration import days_to_move, flow_gigabytes
from gpucluster.cost.transfer.egress import Egress, egress_of

__all__ = ["Egress", "days_to_move", "egress_of", "flow_gigabytes"]
