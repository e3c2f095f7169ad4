"""Additional scrape targets of Azure's managed Prometheus in the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.objects.kinds import CONFIG_MAP
from gpucluster.components.kubernetes.objects.objects import Declared, Kind, manifest_of
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan
from gpucluster.components.kubernetes.telemetry.scraped import Scraped, options_scraped
from gpucluster.components.planning.names import SYSTEM_NAMESPACE

# The Prometheus operator's kind in Azure's own API group; the metrics add-on includes its CRD and ignores the
# operator's. Source: Azure/prometheus-collector 39583fd,
# azure-monitor-metrics-addon/templates/ama-metrics-podmonitor-crd.yaml.
_POD_MONITOR: Final = Kind("azmonitoring.coreos.com/v1", "PodMonitor")
# Azure's limits of labels: number, and characters of names and values. A monitor without these limits loses every
# sample that exceeds them. Source: Azure Monitor documentation, "Customize collection using CRDs".
_LIMITS: Final = {"labelLimit": 63, "labelNameLengthLimit": 511, "labelValueLengthLimit": 1023}

# Of the GPU Operator. Source: NVIDIA/gpu-operator v26.3.3, assets/state-dcgm-exporter/0800_daemonset.yaml.
_GPUS: Final = Scraped(
    name="nvidia-dcgm-exporter", namespace="gpu-operator", labels={"app": "nvidia-dcgm-exporter"}, port="metrics"
)

_SETTINGS: Final = "ama-metrics-settings-configmap"
"""The add-on reads a ConfigMap of this name. Source: Azure Monitor documentation, "Customize scraping of Prometheus
metrics using ConfigMap".
"""

# The node image runs node exporter with the InfiniBand collector, and the add-on scrapes it and keeps a short list of
# its metrics, to which this adds. A missing section has its defaults.
# Sources: Azure/AgentBaker 1138c29, parts/linux/cloud-init/artifacts/node-exporter/node-exporter-startup.sh;
# Azure/prometheus-collector 39583fd, otelcollector/shared/configmap/mp/tomlparser-default-targets-metrics-keep-list.go
# and shared/helpers.go; Azure Monitor documentation, "Minimal ingestion profile".
_INFINIBAND: Final = """\
default-targets-metrics-keep-list: |-
  nodeexporter = "node_infiniband_state_id|node_infiniband_port_data_(received|transmitted)_bytes_total"
minimal-ingestion-profile: |-
  enabled = true
"""


class MetricsCollection(pulumi.ComponentResource):
    """Metrics of GPUs, of InfiniBand if there is any, and of further options of the spec.

    Outputs: monitors, the names of the objects that request them.
    """

    def __init__(
        self,
        name: str,
        plan: TelemetryPlan,
        *,
        infiniband: bool,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the scraped software and its namespaces, including the GPU Operator, because the add-on's CRD is
        created some time after the cluster.
        """
        super().__init__("gpucluster:azure:MetricsCollection", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self, depends_on=list(after))
        if infiniband:
            Declared(
                f"{name}-settings",
                manifest_of(
                    CONFIG_MAP,
                    {"data": {"schema-version": "v2", "config-version": "ver1", "cluster-metrics": _INFINIBAND}},
                    object_name=_SETTINGS,
                    namespace=SYSTEM_NAMESPACE,
                ),
                here,
            )
        scraped = [_GPUS, *options_scraped(plan)]
        for target in scraped:
            Declared(
                f"{name}-{target.name}",
                manifest_of(_POD_MONITOR, _monitor(target), object_name=target.name, namespace=target.namespace),
                here,
            )
        self.register_outputs({"monitors": [target.name for target in scraped]})


def _monitor(target: Scraped) -> dict[str, Any]:
    """Each target itself names the pods that hold a GPU, cost dollars or sent a metric. Otherwise, if it names none,
    the scraped pod would appear instead, and eight free GPUs would look like a job that leaves them idle.
    """
    own = {"action": "labeldrop", "regex": "container|namespace|pod"}
    kept = {"action": "keep", "sourceLabels": ["__name__"], "regex": "|".join(target.metrics)}
    return {
        **_LIMITS,
        "selector": {"matchLabels": dict(target.labels)},
        "podMetricsEndpoints": [
            {
                "port": target.port,
                "interval": f"{target.seconds}s",
                "relabelings": [own],
                **({"metricRelabelings": [kept]} if target.metrics else {}),
            }
        ],
    }
