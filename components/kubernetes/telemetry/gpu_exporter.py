"""GPU metrics for Prometheus: NVIDIA's DCGM exporter, one pod on each GPU node.

It runs in its own namespace, the only one here whose pods may have privileges: it reads from its node which pod holds
which GPU, by the kubelet's list, and profiling counters need SYS_ADMIN. It has no host network and no permissions in
the cluster, and is privileged only if no container runtime provides the machine's driver.
Source: NVIDIA/dcgm-exporter 4.5.3-4.8.2, deployment/values.yaml and deployment/templates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.objects.charts import DCGM_EXPORTER
from gpucluster.components.kubernetes.objects.namespace import namespace, only_these_ports
from gpucluster.components.kubernetes.objects.objects import Declared
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.kubernetes.telemetry.alerts import counters_csv
from gpucluster.components.planning.names import (
    ALL_TAINTS,
    EXPORTER_ACCOUNT,
    EXPORTER_NAMESPACE,
    EXPORTER_PORT,
    GPU_PRESENT,
)

# The chart's own mount, which a custom list of mounts would remove.
_COUNTERS_MOUNT: Final = {
    "name": "exporter-metrics-volume",
    "mountPath": "/etc/dcgm-exporter/default-counters.csv",
    "subPath": "default-counters.csv",
}


class GpuExporter(pulumi.ComponentResource):
    """For clusters whose cloud or operator includes no exporter. Outputs: namespace.

    `ready`: the exporter.
    """

    ready: list[pulumi.Resource]
    namespace: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        *,
        driver_folder: str | None = None,
        registry: str | None,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """driver_folder: of the machine, if no container runtime gives pods the driver. registry: mirror of the image,
        None to pull it from its publisher.
        """
        super().__init__("gpucluster:kubernetes:GpuExporter", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        space = Declared(f"{name}-namespace", namespace(EXPORTER_NAMESPACE, "privileged"), here)
        only_these_ports(f"{name}-ports", [EXPORTER_PORT], namespace=space.object_name, opts=here)
        exporter = release(
            f"{name}-dcgm",
            DCGM_EXPORTER,
            namespace=space.object_name,
            values={
                "nodeSelector": {GPU_PRESENT: "true"},
                "tolerations": [ALL_TAINTS],
                "serviceAccount": {"name": EXPORTER_ACCOUNT},
                "customMetrics": counters_csv(),
                # Its kind belongs to the Prometheus operator, which is not installed.
                "serviceMonitor": {"enabled": False},
                **({} if driver_folder is None else _with_driver(driver_folder)),
            },
            registry=registry,
            after=after,
            opts=here,
        )
        self.ready = [exporter]
        self.namespace = space.object_name
        self.register_outputs({"namespace": self.namespace})


def _with_driver(folder: str) -> dict[str, Any]:
    """Lets the exporter find the driver and every GPU; there, pods hold GPUs by the names of devices.

    Source: GoogleCloudPlatform/prometheus-engine v0.17.2, examples/nvidia-dcgm/exporter.yaml.
    """
    inside = "/usr/local/nvidia"
    return {
        "securityContext": {"privileged": True},
        "extraHostVolumes": [{"name": "driver", "hostPath": folder}],
        "extraVolumeMounts": [
            _COUNTERS_MOUNT,
            {"name": "driver", "mountPath": inside, "readOnly": True},
        ],
        "extraEnv": [
            {"name": "LD_LIBRARY_PATH", "value": f"{inside}/lib64"},
            {"name": "DCGM_EXPORTER_KUBERNETES_GPU_ID_TYPE", "value": "device-name"},
        ],
    }
