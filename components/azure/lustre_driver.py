"""The driver that mounts Azure Managed Lustre. It comes as manifests: its Helm chart is not supported.

Only the part that runs on nodes is here. The other part makes file systems for claims, outside this program, its state
and its cost; file systems are declared, so nothing needs it. Every name is upstream's, so that a second copy of the
driver is refused by the cluster.

Source: kubernetes-sigs/azurelustre-csi-driver v0.4.0, deploy/ and charts/README.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.apps.v1 import (
    DaemonSet,
    DaemonSetSpecArgs,
    DaemonSetUpdateStrategyArgs,
    RollingUpdateDaemonSetArgs,
)
from pulumi_kubernetes.core.v1 import (
    AffinityArgs,
    ContainerArgs,
    ContainerPortArgs,
    EnvVarArgs,
    EnvVarSourceArgs,
    ExecActionArgs,
    HostPathVolumeSourceArgs,
    HTTPGetActionArgs,
    LifecycleArgs,
    LifecycleHandlerArgs,
    NodeAffinityArgs,
    NodeSelectorArgs,
    NodeSelectorRequirementArgs,
    NodeSelectorTermArgs,
    ObjectFieldSelectorArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    ProbeArgs,
    ResourceRequirementsArgs,
    SecurityContextArgs,
    ServiceAccount,
    TolerationArgs,
    VolumeArgs,
    VolumeMountArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs
from pulumi_kubernetes.rbac.v1 import (
    ClusterRole,
    ClusterRoleBinding,
    PolicyRuleArgs,
    RoleRefArgs,
    SubjectArgs,
)
from pulumi_kubernetes.storage.v1 import CSIDriver, CSIDriverSpecArgs

from gpucluster.components.names import SYSTEM_NAMESPACE
from gpucluster.record import record

__all__ = ["DRIVER", "STARTUP_TAINT", "LustreDriver"]

DRIVER: Final = "azurelustre.csi.azure.com"
STARTUP_TAINT: Final = {"key": f"{DRIVER}/agent-not-ready", "effect": "NoSchedule"}
"""Keeps pods off a new node until the driver, which takes it away, can mount there.

Source: the same repository, docs/driver-parameters.md.
"""

_VERSION: Final = "v0.4.0"
_ACCOUNT: Final = "csi-azurelustre-node-sa"
_ROLE: Final = "csi-azurelustre-node-secret-role"
_BINDING: Final = "csi-azurelustre-node-secret-binding"
_SIDECARS: Final = "mcr.microsoft.com/oss/kubernetes-csi"
_KUBELET: Final = "/var/lib/kubelet"
_SOCKET: Final = "/csi/csi.sock"
_HEALTH_PORT: Final = 29763


@record(kw_only=True)
class _Release:
    """A release of Ubuntu: what AKS calls it, and the Lustre client for its kernels."""

    name: str
    system: str
    client: str
    client_build: str


_RELEASES: Final = (
    _Release(name="jammy", system="Ubuntu2204", client="2.15.7", client_build="33-g79ddf99"),
    _Release(name="noble", system="Ubuntu2404", client="2.16.1", client_build="14-gbc76088"),
)


class LustreDriver(pulumi.ComponentResource):
    """`ready`: what a volume waits for. Each node builds nothing, but fetches the client for its kernel, once."""

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        *,
        labels: Mapping[str, str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: what stands before."""
        super().__init__("gpucluster:azure:LustreDriver", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self, depends_on=list(after))
        driver = CSIDriver(
            f"{name}-kind",
            metadata=ObjectMetaArgs(name=DRIVER, labels=dict(labels)),
            spec=CSIDriverSpecArgs(attach_required=False, fs_group_policy="File", pod_info_on_mount=True),
            opts=here,
        )
        grants = _account(name, labels, here)
        nodes = [
            _nodes(
                f"{name}-{release.name}",
                release,
                labels,
                pulumi.ResourceOptions.merge(here, pulumi.ResourceOptions(depends_on=[driver, *grants])),
            )
            for release in _RELEASES
        ]
        self.ready = [driver, *nodes]
        self.register_outputs({"driver": DRIVER, "version": _VERSION})


def _account(name: str, labels: Mapping[str, str], opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    account = ServiceAccount(
        f"{name}-account",
        metadata=ObjectMetaArgs(name=_ACCOUNT, namespace=SYSTEM_NAMESPACE, labels=dict(labels)),
        opts=opts,
    )
    role = ClusterRole(
        f"{name}-role",
        metadata=ObjectMetaArgs(name=_ROLE, labels=dict(labels)),
        rules=[
            PolicyRuleArgs(api_groups=[""], resources=["secrets"], verbs=["get", "list"]),
            # To take its own taint away.
            PolicyRuleArgs(api_groups=[""], resources=["nodes"], verbs=["get", "patch"]),
        ],
        opts=opts,
    )
    binding = ClusterRoleBinding(
        f"{name}-binding",
        metadata=ObjectMetaArgs(name=_BINDING, labels=dict(labels)),
        role_ref=RoleRefArgs(api_group="rbac.authorization.k8s.io", kind="ClusterRole", name=_ROLE),
        subjects=[SubjectArgs(kind="ServiceAccount", name=_ACCOUNT, namespace=SYSTEM_NAMESPACE)],
        opts=opts,
    )
    return [account, role, binding]


def _nodes(name: str, release: _Release, labels: Mapping[str, str], opts: pulumi.ResourceOptions) -> DaemonSet:
    own = {"app": "csi-azurelustre-node", "flavor": release.name}
    return DaemonSet(
        name,
        metadata=ObjectMetaArgs(
            name=f"csi-azurelustre-node-{release.name}", namespace=SYSTEM_NAMESPACE, labels={**labels, **own}
        ),
        spec=DaemonSetSpecArgs(
            selector=LabelSelectorArgs(match_labels=own),
            update_strategy=DaemonSetUpdateStrategyArgs(
                type="RollingUpdate", rolling_update=RollingUpdateDaemonSetArgs(max_unavailable=1)
            ),
            template=PodTemplateSpecArgs(
                metadata=ObjectMetaArgs(labels={**labels, **own}),
                spec=PodSpecArgs(
                    service_account_name=_ACCOUNT,
                    priority_class_name="system-node-critical",
                    host_network=True,
                    dns_policy="Default",
                    node_selector={"kubernetes.io/os": "linux"},
                    affinity=_on(release.system),
                    tolerations=[TolerationArgs(operator="Exists")],
                    containers=[_liveness(), _registrar(), _driver(release)],
                    volumes=[
                        _host("socket-dir", f"{_KUBELET}/plugins/{DRIVER}", "DirectoryOrCreate"),
                        _host("registration-dir", f"{_KUBELET}/plugins_registry/", "Directory"),
                        _host("mountpoint-dir", f"{_KUBELET}/", "Directory"),
                        _host("azure-cred", "/etc/kubernetes/", "DirectoryOrCreate"),
                        _host("host-dev", "/dev", "Directory"),
                        _host("host-os-release", "/etc/os-release", "File"),
                    ],
                ),
            ),
        ),
        opts=opts,
    )


def _on(system: str) -> AffinityArgs:
    return AffinityArgs(
        node_affinity=NodeAffinityArgs(
            required_during_scheduling_ignored_during_execution=NodeSelectorArgs(
                node_selector_terms=[
                    NodeSelectorTermArgs(
                        match_expressions=[
                            NodeSelectorRequirementArgs(key="type", operator="NotIn", values=["virtual-kubelet"]),
                            NodeSelectorRequirementArgs(
                                key="kubernetes.azure.com/os-sku-effective", operator="In", values=[system]
                            ),
                        ]
                    )
                ]
            )
        )
    )


def _liveness() -> ContainerArgs:
    return ContainerArgs(
        name="liveness-probe",
        image=f"{_SIDECARS}/livenessprobe:v2.15.0",
        args=[f"--csi-address={_SOCKET}", "--probe-timeout=120s", f"--health-port={_HEALTH_PORT}", "--v=2"],
        resources=_resources(cpu="100m", memory="100Mi"),
        volume_mounts=[VolumeMountArgs(name="socket-dir", mount_path="/csi")],
    )


def _registrar() -> ContainerArgs:
    path = f"--kubelet-registration-path={_KUBELET}/plugins/{DRIVER}/csi.sock"
    return ContainerArgs(
        name="node-driver-registrar",
        image=f"{_SIDECARS}/csi-node-driver-registrar:v2.13.0",
        args=[f"--csi-address={_SOCKET}", path, "--v=2"],
        liveness_probe=ProbeArgs(
            exec_=ExecActionArgs(command=["/csi-node-driver-registrar", path, "--mode=kubelet-registration-probe"]),
            initial_delay_seconds=30,
            timeout_seconds=15,
        ),
        resources=_resources(cpu="100m", memory="100Mi"),
        volume_mounts=[
            VolumeMountArgs(name="socket-dir", mount_path="/csi"),
            VolumeMountArgs(name="registration-dir", mount_path="/registration"),
        ],
    )


def _driver(release: _Release) -> ContainerArgs:
    """Ready when it has the client's modules and a working network of Lustre's own (10 minutes at most)."""
    ready = ExecActionArgs(command=["/app/readinessProbe.sh"])
    return ContainerArgs(
        name="azurelustre",
        image=f"mcr.microsoft.com/oss/v2/kubernetes-csi/azurelustre-csi:{_VERSION}-{release.name}",
        args=["-v=5", "--endpoint=$(CSI_ENDPOINT)", "--nodeid=$(KUBE_NODE_NAME)"],
        ports=[ContainerPortArgs(name="healthz", container_port=_HEALTH_PORT, protocol="TCP")],
        lifecycle=LifecycleArgs(
            pre_stop=LifecycleHandlerArgs(exec_=ExecActionArgs(command=["/bin/sh", "-c", "lustre_rmmod"]))
        ),
        liveness_probe=ProbeArgs(
            http_get=HTTPGetActionArgs(path="/healthz", port="healthz"),
            failure_threshold=5,
            initial_delay_seconds=60,
            timeout_seconds=10,
            period_seconds=30,
        ),
        readiness_probe=ProbeArgs(
            exec_=ready, failure_threshold=5, initial_delay_seconds=10, timeout_seconds=10, period_seconds=30
        ),
        startup_probe=ProbeArgs(
            exec_=ready, failure_threshold=120, initial_delay_seconds=10, timeout_seconds=5, period_seconds=5
        ),
        env=[
            EnvVarArgs(name="CSI_ENDPOINT", value=f"unix://{_SOCKET}"),
            EnvVarArgs(name="AZURELUSTRE_CSI_INSTALL_LUSTRE_CLIENT", value="yes"),
            EnvVarArgs(name="LUSTRE_VERSION", value=release.client),
            EnvVarArgs(name="CLIENT_SHA_SUFFIX", value=release.client_build),
            EnvVarArgs(
                name="KUBE_NODE_NAME",
                value_from=EnvVarSourceArgs(
                    field_ref=ObjectFieldSelectorArgs(api_version="v1", field_path="spec.nodeName")
                ),
            ),
        ],
        security_context=SecurityContextArgs(privileged=True),
        resources=_resources(cpu="1", memory="200Mi"),
        volume_mounts=[
            VolumeMountArgs(name="socket-dir", mount_path="/csi"),
            VolumeMountArgs(name="mountpoint-dir", mount_path=f"{_KUBELET}/", mount_propagation="Bidirectional"),
            VolumeMountArgs(name="azure-cred", mount_path="/etc/kubernetes/"),
            VolumeMountArgs(name="host-dev", mount_path="/dev"),
            VolumeMountArgs(name="host-os-release", mount_path="/etc/host-os-release"),
        ],
    )


def _resources(*, cpu: str, memory: str) -> ResourceRequirementsArgs:
    return ResourceRequirementsArgs(limits={"cpu": cpu, "memory": memory}, requests={"cpu": "10m", "memory": "20Mi"})


def _host(name: str, path: str, kind: str) -> VolumeArgs:
    return VolumeArgs(name=name, host_path=HostPathVolumeSourceArgs(path=path, type=kind))
