"""Where a collector of the jobs' own metrics is found, and where it sends them: the part that each cloud says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pulumi

__all__ = ["ACCOUNT", "PORTS", "MetricsSink"]

PORTS: Final = (4317, 4318)
"""OTLP over gRPC and over HTTP."""
ACCOUNT: Final = "collector"
"""Its service account, which the cloud's identity is given to, and its Service."""


@dataclass(frozen=True, kw_only=True)
class MetricsSink:
    """Where metrics go, in the words of the collector's configuration: exporters and extensions by name.

    account_annotations, pod_labels: what gives its pods an identity of the cloud. after: what must stand before it.
    """

    exporters: Mapping[str, Any]
    extensions: Mapping[str, Any] = field(default_factory=dict[str, Any])
    account_annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    pod_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    after: Sequence[pulumi.Resource] = ()
