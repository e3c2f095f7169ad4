"""Scrape configuration (Prometheus) of the managed collector. Imports no Pulumi.

Source: Amazon Managed Service for Prometheus user guide, AMP-collector-how-to (scraper configuration).
"""

from __future__ import annotations

import json
from typing import Any

from gpucluster.components.kubernetes.scraped import NODE_HEALTH
from gpucluster.components.kubernetes.telemetry.opencost import COST_METRICS
from gpucluster.components.kubernetes.telemetry.plan import SCRAPE_SECONDS
from gpucluster.components.names import EXPORTER_PORT, MONITORING, NODE_HEALTH_PORT, OPENCOST_PORT


def scrape_configuration(*, exporter_namespace: str, opencost: bool) -> str:
    """The configuration as JSON, which is valid YAML: DCGM's exporter on every GPU node, the program that finds broken
    ones, and OpenCost, if they run.
    """
    jobs = [
        _pods("gpu-exporter", exporter_namespace, EXPORTER_PORT),
        _pods(NODE_HEALTH.name, NODE_HEALTH.namespace, NODE_HEALTH_PORT),
    ]
    if opencost:
        jobs.append(
            _pods("opencost", MONITORING, OPENCOST_PORT)
            | {
                # Keeps the namespaces and pods that OpenCost reports on.
                "honor_labels": True,
                "scrape_interval": "60s",
                "metric_relabel_configs": [
                    {"source_labels": ["__name__"], "action": "keep", "regex": "|".join(COST_METRICS)}
                ],
            }
        )
    return json.dumps({"global": {"scrape_interval": f"{SCRAPE_SECONDS}s"}, "scrape_configs": jobs}, indent=2)


def _pods(job: str, namespace: str, port: int) -> dict[str, Any]:
    """Every pod of a namespace with this port."""
    has_port = {"source_labels": ["__meta_kubernetes_pod_container_port_number"], "action": "keep", "regex": str(port)}
    return {
        "job_name": job,
        "kubernetes_sd_configs": [{"role": "pod", "namespaces": {"names": [namespace]}}],
        "relabel_configs": [has_port],
    }
