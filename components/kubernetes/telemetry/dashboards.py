"""Dashboards for Grafana, in files of their JSON, and the counters that they and the alerts read, `counters.csv`.

InfiniBand counters come from node exporter; EFA counters from the exporter that AWS adds to it
(awslabs/awsome-distributed-ai, 4.validation_and_observability). For a fabric that bypasses the kernel, such as TCPXO
and RoCE, the interfaces of pods count nothing: GPU traffic crosses PCIe, which DCGM counts on every cloud. Over TCPX
the kernel sends, and cAdvisor counts it in the pod, once for each of its containers. Source:
elideng-sg/hypercomputer-internode-deepdive, lab-22 7.1 to 7.3 (measured on A3 Mega and A3 High). GPU-hours held are one
sample per hour of each GPU that a pod holds; a team is a namespace.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gpucluster.components.kubernetes.telemetry.rules import Watched

_HERE = Path(__file__).parent


def dashboards(watched: Watched) -> dict[str, dict[str, Any]]:
    """Name -> dashboard. Without a price, the cost dashboard is missing."""
    usd = watched.gpu_hour_usd
    price = "" if usd is None else f"{usd.normalize():f}"
    names = ("use", "fabric", "health", *(["cost"] if price else []))
    return {
        f"gpucluster-{name}": json.loads(
            (_HERE / f"{name}.json").read_text(encoding="utf-8").replace("${gpu_hour_usd}", price)
        )
        for name in names
    }


def counters_csv() -> str:
    """The file of DCGM's exporter: field, type of metric, help. It replaces the exporter's defaults, so it is complete.

    Source: NVIDIA/dcgm-exporter, etc/default-counters.csv and etc/dcp-metrics-included.csv.
    """
    return (_HERE / "counters.csv").read_text(encoding="utf-8")
