"""OpenCost: the cost of each namespace and pod, at the prices of the plan.

It reads usage directly from the kubelets and keeps it in memory for 15 days, so it needs no Prometheus and no
permissions in the cloud. In the cluster it may read objects and `nodes/proxy`, by which kubelets report usage but which
permits more: that is why it is optional.
Sources: opencost/opencost-helm-chart 725bb93, charts/opencost; opencost/opencost pull request 3166.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.objects.charts import OPENCOST
from gpucluster.components.kubernetes.objects.kinds import CONFIG_MAP
from gpucluster.components.kubernetes.objects.objects import Declared, manifest_of
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.kubernetes.objects.restricted import CONTAINER, pod

_PRICES: Final = "opencost-prices"
_FOLDER: Final = "/prices"
_FILE: Final = "prices.csv"
_USER: Final = 1001


def opencost(
    name: str,
    price_sheet: str,
    *,
    cluster_name: str,
    namespace: pulumi.Input[str],
    tolerations: Sequence[Mapping[str, str]],
    registry: str | None,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> pulumi.Resource:
    """price_sheet: as `telemetry.opencost` writes it. cluster_name: the cluster's name in OpenCost."""
    prices = Declared(
        f"{name}-prices",
        manifest_of(CONFIG_MAP, {"data": {_FILE: price_sheet}}, object_name=_PRICES, namespace=namespace),
        opts,
    )
    values = _values(cluster_name, [dict(item) for item in tolerations])
    return release(
        name,
        OPENCOST,
        release_name="opencost",
        namespace=namespace,
        values=values,
        registry=registry,
        after=[*after, prices],
        opts=opts,
    )


def _values(cluster_name: str, tolerations: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "opencost": {
            "exporter": {
                "defaultClusterId": cluster_name,
                "collectorDataSource": {"enabled": True},
                # Source: opencost/opencost, pkg/env/costmodelenv.go.
                "extraEnv": {"USE_CSV_PROVIDER": "true", "CSV_PATH": f"{_FOLDER}/{_FILE}"},
                "extraVolumeMounts": [{"name": "prices", "mountPath": _FOLDER, "readOnly": True}],
                "securityContext": CONTAINER,
            },
            "prometheus": {"internal": {"enabled": False}},
            "mcp": {"enabled": False},
            "ui": {"enabled": False},
            "tolerations": tolerations,
        },
        "podSecurityContext": pod(_USER),
        "extraVolumes": [{"name": "prices", "configMap": {"name": _PRICES}}],
    }
