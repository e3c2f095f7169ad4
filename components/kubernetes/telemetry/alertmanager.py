"""Alertmanager configuration: one receiver for all alerts, grouped by alert name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.components.kubernetes.telemetry.rules import NAME


def alertmanager_config(receiver: Mapping[str, Any]) -> dict[str, Any]:
    """Its configuration. receiver: its notification settings, such as webhook_configs.

    Source: Alertmanager documentation, "Configuration" (route, receiver).
    """
    return {
        "route": {"receiver": NAME, "group_by": ["alertname"]},
        "receivers": [{"name": NAME, **receiver}],
    }
