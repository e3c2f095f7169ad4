"""Dashboards for Grafana: use, fabric, health, and dollars by label. Each is the JSON that Grafana imports."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from gpucluster.components.kubernetes.telemetry.alerts import ACTIVE, MEMORY, UTILISATION, Watched, one_spelling
from gpucluster.record import record

_WIDTH: Final = 12
_HEIGHT: Final = 8
_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}


@record(kw_only=True)
class _Panel:
    """unit: as Grafana spells it. legend: of each series."""

    title: str
    expression: str
    unit: str
    legend: str
    kind: str = "timeseries"


_USE: Final = (
    _Panel(
        title="Utilisation", expression=f"avg by (namespace, pod) ({UTILISATION})", unit="percent", legend="{{pod}}"
    ),
    _Panel(title="SMs active", expression=f"avg by (namespace, pod) ({ACTIVE})", unit="percentunit", legend="{{pod}}"),
    _Panel(
        title="GPU memory used", expression=f"max by (namespace, pod) ({MEMORY})", unit="percentunit", legend="{{pod}}"
    ),
    # One sample per hour of each GPU that a pod holds. A team is a namespace.
    _Panel(
        title="GPU-hours held in 7 days, by namespace",
        expression=f'sum by (namespace) (count_over_time({UTILISATION}{{pod!=""}}[7d:1h]))',
        unit="h",
        legend="{{namespace}}",
    ),
    _Panel(
        title="Tensor cores active",
        expression="avg by (Hostname) (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE)",
        unit="percentunit",
        legend="{{Hostname}}",
    ),
)

# InfiniBand counters come from node exporter; EFA counters from the exporter that AWS adds to it
# (awslabs/awsome-distributed-ai, 4.validation_and_observability). For a fabric that bypasses the kernel, such as TCPXO
# and RoCE, the interfaces of pods count nothing: GPU traffic crosses PCIe, which DCGM counts on every cloud. Over TCPX
# the kernel sends, and cAdvisor counts it in the pod, once for each of its containers.
# Source: elideng-sg/hypercomputer-internode-deepdive, lab-22 7.1 to 7.3 (measured on A3 Mega and A3 High).
_FABRIC: Final = (
    _Panel(
        title="InfiniBand sent",
        expression="sum by (instance) (rate(node_infiniband_port_data_transmitted_bytes_total[2m]))",
        unit="Bps",
        legend="{{instance}}",
    ),
    _Panel(
        title="Sent over PCIe",
        expression="sum by (Hostname) (DCGM_FI_PROF_PCIE_TX_BYTES)",
        unit="Bps",
        legend="{{Hostname}}",
    ),
    _Panel(
        title="Received over PCIe",
        expression="sum by (Hostname) (DCGM_FI_PROF_PCIE_RX_BYTES)",
        unit="Bps",
        legend="{{Hostname}}",
    ),
    _Panel(
        title="GPU networks sent (A3 High)",
        expression="sum by (namespace, pod) (max by (namespace, pod, interface) "
        '(rate(container_network_transmit_bytes_total{interface=~"eth[1-4]"}[2m])))',
        unit="Bps",
        legend="{{pod}}",
    ),
    _Panel(
        title="EFA sent (AWS)",
        expression="sum by (instance) (rate(node_amazonefa_tx_bytes[2m]))",
        unit="Bps",
        legend="{{instance}}",
    ),
    _Panel(
        title="NVLink sent",
        expression="sum by (Hostname) (rate(DCGM_FI_PROF_NVLINK_TX_BYTES[2m]))",
        unit="Bps",
        legend="{{Hostname}}",
    ),
)

_HEALTH: Final = (
    _Panel(
        title="GPUs by node",
        expression="count by (Hostname) (DCGM_FI_DEV_GPU_TEMP)",
        unit="none",
        legend="{{Hostname}}",
    ),
    _Panel(
        title="Last XID error",
        expression="max by (Hostname, gpu) (DCGM_FI_DEV_XID_ERRORS) > 0",
        unit="none",
        legend="{{Hostname}} GPU {{gpu}}",
    ),
    _Panel(
        title="Temperature",
        expression="max by (Hostname) (DCGM_FI_DEV_GPU_TEMP)",
        unit="celsius",
        legend="{{Hostname}}",
    ),
    _Panel(title="Power", expression="sum by (Hostname) (DCGM_FI_DEV_POWER_USAGE)", unit="watt", legend="{{Hostname}}"),
)


def dashboards(watched: Watched) -> dict[str, dict[str, Any]]:
    """Name -> dashboard. Without a price, the cost dashboard is missing."""
    parts: dict[str, Sequence[_Panel]] = {"use": _USE, "fabric": _FABRIC, "health": _HEALTH}
    if watched.gpu_hour_usd is not None:
        parts["cost"] = _cost(watched.gpu_hour_usd)
    return {f"gpucluster-{name}": _dashboard(name, panels) for name, panels in parts.items()}


def _cost(gpu_hour_usd: Decimal) -> Sequence[_Panel]:
    price = f"{gpu_hour_usd.normalize():f}"
    return (
        _Panel(
            title="Dollars an hour by namespace",
            expression=f'count by (namespace) ({UTILISATION}{{pod!=""}}) * {price}',
            unit="currencyUSD",
            legend="{{namespace}}",
        ),
        _Panel(
            title="Cost of unallocated GPUs, $/hour",
            expression=f'(count({UTILISATION}{{pod=""}}) or vector(0)) * {price}',
            unit="currencyUSD",
            legend="free",
        ),
        _Panel(
            title="Dollars an hour by label, from OpenCost",
            expression="sum by (label_team, label_project, label_cost_center) "
            f"({one_spelling('kube_namespace_labels')} * on (namespace) group_left () sum by (namespace) "
            f"({one_spelling('container_gpu_allocation')} * on (node) group_left () node_gpu_hourly_cost))",
            unit="currencyUSD",
            legend="{{label_team}} {{label_project}} {{label_cost_center}}",
        ),
    )


def _dashboard(name: str, panels: Sequence[_Panel]) -> dict[str, Any]:
    return {
        "uid": f"gpucluster-{name}",
        "title": f"GPU cluster: {name}",
        "schemaVersion": 39,
        "tags": ["gpucluster"],
        "time": {"from": "now-6h", "to": "now"},
        "refresh": "1m",
        "templating": {"list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}]},
        "panels": [_panel(index, panel) for index, panel in enumerate(panels)],
    }


def _panel(index: int, panel: _Panel) -> dict[str, Any]:
    return {
        "id": index + 1,
        "type": panel.kind,
        "title": panel.title,
        "datasource": _SOURCE,
        "gridPos": {"x": index % 2 * _WIDTH, "y": index // 2 * _HEIGHT, "w": _WIDTH, "h": _HEIGHT},
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "targets": [{"refId": "A", "datasource": _SOURCE, "expr": panel.expression, "legendFormat": panel.legend}],
    }
