"""Address of the collector of job metrics, and its destination: the part that differs between clouds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pulumi

PORTS: Final = (4317, 4318)
"""OTLP over gRPC and over HTTP."""
ACCOUNT: Final = "collector"
"""Name of its service account, which gets the cloud's identity, and of its Service."""
HERE: Final = "${env:MY_POD_IP}"
"""The collector's own address, in its configuration."""


@dataclass(frozen=True, kw_only=True)
class MetricsSink:
    """Destination of metrics, in the format of the collector's configuration: exporters and extensions by name.

    account_annotations, pod_labels: give its pods an identity of the cloud. read_at: port to scrape, if it does not
    send its metrics. after: must exist before it.
    """

    exporters: Mapping[str, Any]
    read_at: int | None = None
    extensions: Mapping[str, Any] = field(default_factory=dict[str, Any])
    account_annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    pod_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    after: Sequence[pulumi.Resource] = ()


_READ_AT: Final = 8889
READ: Final = MetricsSink(
    exporters={"prometheus": {"endpoint": f"{HERE}:{_READ_AT}", "add_metric_suffixes": False}}, read_at=_READ_AT
)
"""For a cloud that scrapes pods: the collector needs neither an identity of the cloud nor an address in it.

A job's last values are reported for 5 minutes more (opentelemetry-collector-contrib, exporter/prometheusexporter).
"""
