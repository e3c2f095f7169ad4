"""The software that gives pods GPUs and InfiniBand: NVIDIA's Network Operator and GPU Operator, in order.

The GPU Operator's driver pods wait on each node until the driver of its InfiniBand cards is loaded; nodes without such
cards do not wait (NVIDIA/gpu-operator v26.3.3, cmd/nvidia-validator).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import pulumi

from gpucluster.components.azure.planning.machines import PEERMEM
from gpucluster.components.azure.pools.job_pools import CONTROLLERS, DAEMONS
from gpucluster.components.kubernetes.objects.charts import GPU_OPERATOR, NETWORK_OPERATOR
from gpucluster.components.kubernetes.objects.namespace import namespace
from gpucluster.components.kubernetes.objects.objects import CONFIG_MAP, Declared, Kind, manifest_of
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.kubernetes.telemetry.alerts import counters_csv
from gpucluster.components.planning.names import MIG_LAYOUT

# Sources: Mellanox/network-operator v26.4.0, hack/release.yaml (Mofed, SriovDevicePlugin); for the GPU Operator
# Azure/aks-rdma-infiniband 700dabb, tests/setup-infra/deploy-aks.sh.
VERSIONS: Final[Mapping[str, str]] = {
    "network_operator": NETWORK_OPERATOR.version,
    "doca_driver": "doca3.4.0-26.04-0.8.6.0-0",
    "device_plugin": "network-operator-v26.4.0",
    "gpu_operator": GPU_OPERATOR.version,
}
"""Matching versions of the two operators, of the network cards' driver and of its device plugin, changed together.

The Network Operator accepts any driver and plugin, and its images have moved between releases: a mixture starts, and
fails on the machines (Azure/aks-rdma-infiniband pull request 120).
"""

POD_SECURITY: Final = "privileged"
"""The only pod security standard that a job over InfiniBand can meet: it adds IPC_LOCK, without which it may lock only
64 KiB of memory, and mounts /scratch of its node.

Sources: Azure/aks-rdma-infiniband, website/docs/configurations; Kubernetes documentation, "Pod Security Standards".
"""

NO_MIG: Final[Mapping[str, str]] = {"nvidia.com/gpu.deploy.mig-manager": "false"}
"""Labels of nodes with whole GPUs in a cluster that also has sliced ones: the MIG manager does not run on them.

Source: NVIDIA/gpu-operator v26.3.3, controllers/state_manager.go (migManagerLabelKey).
"""

# Source: Mellanox/network-operator v26.4.0, deployment/network-operator/charts/node-feature-discovery/crds.
_FEATURE_RULE: Final = Kind("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule")
# Source: the same, api/v1alpha1/nicclusterpolicy_types.go.
_NIC_CLUSTER_POLICY: Final = Kind("mellanox.com/v1alpha1", "NicClusterPolicy")

# Node Feature Discovery's own label for NVIDIA cards, here set only for InfiniBand cards.
_INFINIBAND: Final = "feature.node.kubernetes.io/pci-15b3.present"
# PCI ids of InfiniBand cards as a machine sees them: virtual functions of ConnectX-6 and ConnectX-7.
# Source: Azure/aks-rdma-infiniband 700dabb, tests/setup-infra/network-operator-nfd.yaml.
_CARDS: Final = ["101c", "101e"]
_LAYOUTS: Final = "mig-layouts"
_NO_LAYOUT: Final = "all-disabled"
_RUNTIME_OF_THE_NODE_IMAGE: Final = "nvidia-container-runtime"
_IMAGES: Final = "nvcr.io/nvidia/mellanox"


def mig_node_labels(layout: str) -> dict[str, str]:
    """Labels of nodes whose GPUs the MIG manager slices. layout: such as all-1g.10gb or all-balanced.

    Source: NVIDIA/gpu-operator v26.3.3, assets/state-mig-manager.
    """
    return {MIG_LAYOUT: layout}


class GpuSoftware(pulumi.ComponentResource):
    """Pods request `rdma/ib`, 8 on a machine with 8 InfiniBand cards, and `nvidia.com/gpu`.

    `ready`: all of it; jobs depend on it.
    """

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        *,
        owner: Literal["operators", "aks"],
        infiniband: bool = True,
        mig: Literal["single", "mixed"] | None = None,
        mig_layout: tuple[str, Mapping[str, int]] | None = None,
        roll: bool = False,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """owner: of the GPU driver. The GPU pools have `gpuProfile.driver` None with operators, and Install with aks;
        operators can't take over software that AKS installed on a node. infiniband: whether any machine has it. mig:
        how pods request slices, if some GPUs are sliced. mig_layout: its name and the slices of a GPU, if the MIG
        manager does not know it. roll: whether an update may restart the drivers, node by node, which ends jobs.
        after: nodes for the controllers.
        """
        super().__init__("gpucluster:azure:GpuSoftware", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        fabric = _network_operator(f"{name}-network", after, here, roll=roll) if infiniband else []
        space = Declared(f"{name}-gpu-namespace", namespace("gpu-operator", "privileged"), here)
        layouts = [] if mig_layout is None else [_mig_layouts(f"{name}-gpu-layouts", space, *mig_layout, here)]
        counters = _counters(f"{name}-gpu-counters", space, here)
        gpus = release(
            f"{name}-gpu",
            GPU_OPERATOR,
            release_name="gpu-operator",
            namespace=space.object_name,
            values=_gpu_values(owner, infiniband=infiniband, mig=mig, layouts=bool(layouts)),
            after=[*after, *fabric, *layouts, counters],
            opts=_of_drivers(here, "values.daemonsets.tolerations", roll=roll),
        )
        self.ready = [*fabric, *layouts, gpus]
        self.register_outputs({"driverOwner": owner, "versions": dict(VERSIONS)})


def _of_drivers(opts: pulumi.ResourceOptions, tolerations: str, *, roll: bool) -> pulumi.ResourceOptions:
    """Both operators restart a driver whose pod changes, on one node after the other: existing clusters keep the
    tolerations of their drivers until nodes may roll.
    """
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(ignore_changes=[] if roll else [tolerations]))


def _network_operator(
    name: str, after: Sequence[pulumi.Resource], opts: pulumi.ResourceOptions, *, roll: bool
) -> list[pulumi.Resource]:
    # Like the other operator, it starts privileged pods.
    space = Declared(f"{name}-namespace", namespace("network-operator", "privileged"), opts)
    operator = release(
        name,
        NETWORK_OPERATOR,
        release_name="network-operator",
        namespace=space.object_name,
        values={
            "nfd": {"deployNodeFeatureRules": False},
            "node-feature-discovery": _DISCOVERY,
            "operator": {"tolerations": CONTROLLERS},
        },
        after=after,
        opts=opts,
    )
    rule = Declared(
        f"{name}-nodes",
        manifest_of(_FEATURE_RULE, _INFINIBAND_NODES, object_name="nfd-network-rule"),
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[operator])),
    )
    policy = Declared(
        f"{name}-policy",
        # The operator ignores a policy of any other name.
        manifest_of(_NIC_CLUSTER_POLICY, _POLICY, object_name="nic-cluster-policy"),
        pulumi.ResourceOptions.merge(
            _of_drivers(opts, "spec.tolerations", roll=roll), pulumi.ResourceOptions(depends_on=[rule])
        ),
    )
    return [operator, rule, policy]


def _mig_layouts(
    name: str,
    space: Declared,
    layout: str,
    slices: Mapping[str, int],
    opts: pulumi.ResourceOptions,
) -> Declared:
    """Defines a layout of this toolkit for the MIG manager, which reads this instead of its built-in list.

    Source: NVIDIA/gpu-operator v26.3.3, deployments/gpu-operator/values.yaml (migManager.config).
    """
    known = {
        _NO_LAYOUT: [{"devices": "all", "mig-enabled": False}],
        layout: [{"devices": "all", "mig-enabled": True, "mig-devices": dict(slices)}],
    }
    layouts = {"config.yaml": json.dumps({"version": "v1", "mig-configs": known}, indent=2)}
    return Declared(
        name, manifest_of(CONFIG_MAP, {"data": layouts}, object_name=_LAYOUTS, namespace=space.object_name), opts
    )


def _counters(name: str, space: Declared, opts: pulumi.ResourceOptions) -> Declared:
    """Metrics that the exporter collects; its default list lacks SM activity and NVLink traffic.

    Sources: NVIDIA/gpu-operator v26.3.3, deployments/gpu-operator/values.yaml (dcgmExporter.config);
    NVIDIA/dcgm-exporter 4.5.3-4.8.2, etc/dcp-metrics-included.csv.
    """
    return Declared(
        name,
        manifest_of(
            CONFIG_MAP,
            {"data": {"dcgm-metrics.csv": counters_csv()}},
            object_name=_counters_name(),
            namespace=space.object_name,
        ),
        opts,
    )


def _counters_name() -> str:
    """A changed list gets a new name: the exporter reads its file only at start, and the operator restarts it only for
    a new name.
    """
    return f"gpu-counters-{hashlib.sha256(counters_csv().encode()).hexdigest()[:8]}"


def _gpu_values(owner: str, *, infiniband: bool, mig: str | None, layouts: bool) -> dict[str, Any]:
    """No ServiceMonitor of the exporter: if its CRD is missing, the operator never becomes ready
    (controllers/object_controls.go), and Azure's managed Prometheus has its own kind (`monitoring.py`).
    """
    by_operators = owner == "operators"
    # The cards' driver runs in a container of the Network Operator, never from the node image: a search there finds
    # modules whose symbols do not match (NVIDIA/aicr pull request 1680).
    rdma = {"rdma": {"enabled": True, "useHostMofed": False}} if by_operators and infiniband else {}
    # Discovery runs once in a cluster: the Network Operator installs it.
    discovery = {} if infiniband else {"node-feature-discovery": _DISCOVERY}
    return {
        "nfd": {"enabled": not infiniband},
        **discovery,
        "operator": {
            **({} if by_operators else {"runtimeClass": _RUNTIME_OF_THE_NODE_IMAGE}),
            "tolerations": CONTROLLERS,
        },
        "daemonsets": {"tolerations": DAEMONS},
        "driver": {"enabled": by_operators, **rdma},
        "toolkit": {"enabled": by_operators},
        "dcgmExporter": {"config": {"name": _counters_name()}, "serviceMonitor": {"enabled": False}},
        "mig": {"strategy": mig or "single"},
        # AKS slices the GPUs whose driver it owns.
        "migManager": {
            "enabled": by_operators and mig is not None,
            **({"config": {"name": _LAYOUTS, "default": _NO_LAYOUT}} if layouts else {}),
        },
    }


_DISCOVERY: Final = {
    "master": {"tolerations": CONTROLLERS},
    "gc": {"tolerations": CONTROLLERS},
    "worker": {"tolerations": DAEMONS},
}

_INFINIBAND_NODES: Final = {
    "rules": [
        {
            "name": "nfd-network-rule",
            "labels": {_INFINIBAND: "true"},
            "matchFeatures": [{"feature": "pci.device", "matchExpressions": {"device": {"op": "In", "value": _CARDS}}}],
        },
        {
            "name": "peermem",
            "labels": {PEERMEM: "true"},
            "matchFeatures": [
                {"feature": "kernel.loadedmodule", "matchExpressions": {"nvidia_peermem": {"op": "Exists"}}}
            ],
        },
    ]
}

# Source: Azure/aks-rdma-infiniband 700dabb, configs/nicclusterpolicy/{base,sriov-device-plugin}.
_POLICY: Final = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": _INFINIBAND, "operator": "In", "values": ["true"]}]}]
        }
    },
    "tolerations": DAEMONS,
    "ofedDriver": {
        "repository": _IMAGES,
        "image": "doca-driver",
        "version": VERSIONS["doca_driver"],
        # The modules of the kernel's own driver would win the race for the cards
        # (Mellanox/doca-driver-build issue 52).
        "env": [
            {
                "name": "OFED_BLACKLIST_MODULES_FILE",
                "value": "/host/etc/modprobe.d/blacklist-ofed-modules.conf",
            }
        ],
        "forcePrecompiled": False,
        # Only a new version in this program starts an upgrade; it drains nodes one by one.
        "upgradePolicy": {
            "autoUpgrade": True,
            "maxParallelUpgrades": 1,
            "drain": {"enable": True, "force": True, "deleteEmptyDir": True, "timeoutSeconds": 300},
        },
        "startupProbe": {"initialDelaySeconds": 10, "periodSeconds": 20},
        "livenessProbe": {"initialDelaySeconds": 30, "periodSeconds": 30},
        "readinessProbe": {"initialDelaySeconds": 10, "periodSeconds": 30},
    },
    "sriovDevicePlugin": {
        "repository": _IMAGES,
        "image": "sriov-network-device-plugin",
        "version": VERSIONS["device_plugin"],
        # The machine's cards are virtual functions already. linkTypes: excludes the one for Ethernet.
        "config": json.dumps(
            {
                "resourceList": [
                    {
                        "resourcePrefix": "rdma",
                        "resourceName": "ib",
                        "selectors": {"vendors": ["15b3"], "linkTypes": ["infiniband"], "isRdma": True},
                    }
                ]
            }
        ),
    },
}
