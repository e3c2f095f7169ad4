"""A node's GPU driver has a single installer, and its GPUs a single device plugin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import items, text
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.azure import pools as azure
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.kubernetes.charts import RELEASES, Chart, device_plugins, gpu_operators, nfd_bringers
from gpucluster.policies.clouds.per_cloud import CloudCheck, per_cloud
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation


def _aws(stack: Stack) -> Iterator[Finding]:
    """The driver in EKS' own machine images against that of the GPU Operator.

    Source: EKS page "Use EKS-optimized accelerated AMIs": images with NVIDIA in their amiType have driver and toolkit.
    """
    with_driver = [
        group.name
        for group in stack.resources.of_type(aws.NODE_GROUP)
        if "NVIDIA" in str(text(group.inputs, "amiType") or "")
    ]
    for operator in gpu_operators(stack.resources) if with_driver else ():
        if operator.on("driver") is True:
            yield Violation(
                operator.resource, f"driver.enabled, and the machine image of `{with_driver[0]}` has a driver"
            )


_OFF: Final = "INSTALLATION_DISABLED"
# GKE page "Install the NVIDIA GPU Operator on GKE": nodes with it do not run GKE's device plugin.
_NO_PLUGIN: Final = "gke-no-default-nvidia-gpu-device-plugin"


def _gcp(stack: Stack) -> Iterator[Finding]:
    """GKE's driver and device plugin against those of the GPU Operator.

    Sources: GKE page "Run GPUs in Standard node pools" (gpu_driver_version); NVIDIA/aicr #1998 for the two device
    plugins; terraform-provider-google, magic-modules #11152: a missing block differs from GKE's value in every plan.
    """
    operators = gpu_operators(stack.resources)
    for pool in gcp.gke_pools(stack.resources):
        listed = items(pool.inputs, "nodeConfig", "guestAccelerators")
        if listed is UNKNOWN:
            yield CannotTell(pool.resource, "whether it has GPUs, and what installs their driver, is not known yet")
            continue
        if not listed and not pool.with_gpus:
            continue
        version = text(listed, 0, "gpuDriverInstallationConfig", "gpuDriverVersion")
        if version is UNKNOWN:
            yield CannotTell(pool.resource, "the installer of its GPU driver is not known yet")
            continue
        if version is None:
            yield Violation(pool.resource, f"`{pool.name}` does not set gpuDriverInstallationConfig.gpuDriverVersion")
        for operator in operators:
            if operator.on("driver") is True and version not in (None, _OFF):
                yield Violation(operator.resource, f"driver.enabled, and GKE installs the driver on `{pool.name}`")
            elif operator.on("devicePlugin") is True and pool.labels.get(_NO_PLUGIN) != "true":
                what = f"it advertises nvidia.com/gpu, and so does GKE on `{pool.name}`"
                yield Violation(operator.resource, what)


_NODE_CLASS: Final = "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass"
_NO_DRIVER: Final = "None"


def _azure(stack: Stack) -> Iterator[Finding]:
    """AKS' own driver against that of the GPU Operator, the same on all GPU nodes of a cluster.

    Sources: AKS pages "Use GPUs for compute-intensive workloads" (gpuProfile.driver is Install unless set) and "Use the
    NVIDIA GPU Operator"; karpenter-provider-azure, AKSNodeClass spec.gpu.mode.
    """
    for pool in azure.machines_of(stack.resources):
        if pool.declared.managed and pool.hidden is not None and pool.declared.at("gpuProfile") is not None:
            yield CannotTell(pool.resource, pool.hidden)
    owners = list(_aks_owners(stack.resources))
    for resource, _, by_aks in owners:
        if by_aks is None:
            yield CannotTell(resource, "the installer of its GPU driver is not known yet")
    on_aks = [(resource, name) for resource, name, by_aks in owners if by_aks]
    others = [(resource, name) for resource, name, by_aks in owners if by_aks is False]
    if on_aks and others:
        yield Violation(on_aks[0][0], f"AKS installs the driver on `{on_aks[0][1]}`, but not on `{others[0][1]}`")
        return
    operators = gpu_operators(stack.resources)
    for operator in operators:
        driver = operator.on("driver")
        if driver is True and on_aks:
            yield Violation(operator.resource, f"driver.enabled, and AKS installs the driver on `{on_aks[0][1]}`")
        elif driver is False and others:
            yield Violation(
                operator.resource, f"driver.enabled is false, and AKS installs no driver on `{others[0][1]}`"
            )
    if others and not operators:
        yield CannotTell(others[0][0], "AKS installs no GPU driver, and this stack has no GPU Operator")


def _aks_owners(resources: Resources) -> Iterator[tuple[Resource, str, bool | None]]:
    """(resource, name, whether AKS installs the driver, None while unknown) of resources that start GPU nodes."""
    for pool in azure.machines_of(resources):
        if pool.declared.managed and pool.with_gpus:
            given = text(pool.declared.inputs, "gpuProfile", "driver")
            yield pool.resource, pool.name, None if given is UNKNOWN else given != _NO_DRIVER
    for node_class in resources.of_type(_NODE_CLASS):
        mode = text(node_class.inputs, "spec", "gpu", "mode")
        if mode is not None:
            yield node_class, node_class.name, None if mode is UNKNOWN else mode != _NO_DRIVER


def _kubernetes(stack: Stack) -> Iterator[Finding]:
    """Charts that install the same component twice, or only one of two that belong together.

    Sources: NVIDIA/gpu-operator documentation, "Common deployment scenarios"; NVIDIA/network-operator documentation,
    "Node feature discovery": one NFD for both operators.
    """
    for what, found in (
        ("offers nvidia.com/gpu", device_plugins(stack.resources)),
        ("installs node feature discovery", nfd_bringers(stack.resources)),
    ):
        for second in _doubled(found):
            yield Violation(second.resource, f"it {what}, and so does `{found[0].resource.name}`")
    for operator in gpu_operators(stack.resources):
        driver, toolkit = operator.on("driver"), operator.on("toolkit")
        if UNKNOWN in (driver, toolkit):
            yield CannotTell(operator.resource, "whether it installs the driver is not known yet")
        elif driver and not toolkit:
            yield Violation(operator.resource, "driver.enabled without toolkit.enabled: containers see no driver")


def _doubled(found: list[Chart]) -> list[Chart]:
    """Charts in one cluster after the first."""
    return [chart for chart in found[1:] if chart.resource.provider == found[0].resource.provider]


RULE: Final = StackRule(
    name="gpu-driver-has-one-owner",
    title="The GPU driver and the device plugin of a node have one owner",
    why="Two drivers conflict and neither loads; two device plugins each allocate the same GPU. The nodes are up "
    "and billed, and no job starts, or two jobs share one GPU.",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=130,
    **per_cloud(
        aws=CloudCheck(
            check=_aws,
            reads=f"{aws.NODE_GROUP}, kubernetes:helm.sh/v3:Release",
            fix="Set driver.enabled and toolkit.enabled of the GPU Operator to false: the image has both.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads="gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster, kubernetes:helm.sh/v3:Release",
            fix="Set gpu_driver_installation_config on every GPU pool: DEFAULT or LATEST without the GPU Operator's "
            "driver and devicePlugin, INSTALLATION_DISABLED with the operator's driver.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads="azure-native:containerservice:AgentPool, azure-native:containerservice:ManagedCluster, "
            "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass, kubernetes:helm.sh/v3:Release",
            fix="Set gpu_profile driver of every GPU pool (and spec.gpu.mode of an AKSNodeClass) to None, and let the "
            "GPU Operator install driver and toolkit; or to Install, with driver.enabled and toolkit.enabled of the "
            "operator false.",
        ),
        kubernetes=CloudCheck(
            check=_kubernetes,
            reads=", ".join(RELEASES),
            fix="Remove one of the charts, or disable the part that both install: set devicePlugin.enabled or "
            "nfd.enabled to false; set driver.enabled and toolkit.enabled to the same value.",
        ),
    ),
)
