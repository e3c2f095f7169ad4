"""The values we set in each chart. Helm ignores a value it does not know, so a misspelt one would silently do nothing.

Sources: values.yaml of the charts in `charts.py`.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from gpucluster.components.kubernetes.objects import Part, Text

__all__ = [
    "DcgmExporter",
    "DevicePlugin",
    "GpuOperator",
    "JobSet",
    "Karpenter",
    "KarpenterGcp",
    "Kueue",
    "NetworkOperator",
    "NoValues",
    "NvidiaDevicePlugin",
    "Trainer",
]


class NoValues(Part):
    """A chart taken as it is."""


class Image(Part):
    """Where an image comes from, when not from its usual registry."""

    repository: Text


class Toleration(Part):
    key: Text | None = None
    operator: Literal["Exists", "Equal"] = "Equal"
    value: Text | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None


class DevicePlugin(Part):
    """The NVIDIA and the EFA device plugin alike."""

    nodeSelector: dict[str, str] = Field(description="labels of the nodes it runs on")
    tolerations: list[Toleration] = Field(description="a list of tolerations")
    image: Image | None = None


class NvidiaDevicePlugin(DevicePlugin):
    """migStrategy: how slices of GPUs are named, where there are some."""

    migStrategy: Literal["none", "single", "mixed"] | None = None


class Switch(Part):
    enabled: bool = Field(description="true or false")


class Privileged(Part):
    privileged: Literal[True]


class HostVolume(Part):
    name: Text
    hostPath: Text


class VolumeMount(Part):
    name: Text
    mountPath: Text
    subPath: Text | None = None
    readOnly: bool | None = None


class Variable(Part):
    name: Text
    value: Text


class DcgmExporter(DevicePlugin):
    """customMetrics: the whole list of counters, which takes the place of the chart's own. extraVolumeMounts: these
    too, so the mount of the counters is to be among them.
    """

    customMetrics: Text
    serviceMonitor: Switch
    securityContext: Privileged | None = None
    extraHostVolumes: list[HostVolume] = Field(default=[], description="a list of volumes")
    extraVolumeMounts: list[VolumeMount] = Field(default=[], description="a list of mounts")
    extraEnv: list[Variable] = Field(default=[], description="names and values")


class FeatureGates(Part):
    """Karpenter's own defaults: reservedCapacity on, the others off."""

    nodeRepair: bool | None = None
    reservedCapacity: bool | None = None
    staticCapacity: bool | None = None


class KarpenterSettings(Part):
    """isolatedVPC: no way to AWS but by endpoints, so prices are not looked up."""

    clusterName: Text
    clusterEndpoint: Text
    interruptionQueue: Text
    isolatedVPC: bool | None = None
    featureGates: FeatureGates | None = None


class ServiceAccount(Part):
    name: Text


class Controller(Part):
    image: Image


class Karpenter(Part):
    settings: KarpenterSettings
    serviceAccount: ServiceAccount
    controller: Controller | None = None


class GcpSettings(Part):
    """clusterLocation: the region its machine types are looked up in; nodeLocation: where GKE has the cluster, where
    that is a zone. defaultNodePoolTemplateName: the node pool whose start-up data its machines take.
    """

    projectID: Text
    clusterLocation: Text
    nodeLocation: Text | None = None
    clusterName: Text
    defaultNodePoolTemplateName: Text | None = None
    defaultNodepoolServiceAccount: Text | None = None


class GcpController(Part):
    settings: GcpSettings
    image: Image | None = None


class GcpCredentials(Part):
    """enabled: a key in a secret; the chart's default is true."""

    enabled: bool = Field(description="true or false")


class GcpServiceAccount(Part):
    name: Text
    annotations: dict[str, Text] = Field(description="keys and values of text")


class KarpenterGcp(Part):
    controller: GcpController
    credentials: GcpCredentials
    serviceAccount: GcpServiceAccount


class Tolerant(Part):
    """What runs somewhere, and the taints it puts up with: a list given here takes the place of the chart's own."""

    tolerations: list[Toleration] = Field(description="a list of tolerations")


class PinnedImage(Part):
    """An image by its tag: what a chart's source names is a branch or nothing, until its release fills it in."""

    repository: Text
    tag: Text


class KueueManager(Part):
    image: PinnedImage


class KueueController(Tolerant):
    manager: KueueManager


class KueueConfig(Part):
    """controllerManagerConfigYaml: the controller's whole configuration, which takes the place of the chart's own."""

    controllerManagerConfigYaml: Text


class Kueue(Part):
    """The chart's controller tolerates nothing by itself."""

    controllerManager: KueueController
    managerConfig: KueueConfig


class JobSet(Part):
    image: PinnedImage
    controller: Tolerant


class SplitImage(Part):
    """An image whose registry is a value of its own."""

    registry: Text
    repository: Text
    tag: Text


class Dependency(Part):
    """A chart within the chart."""

    install: bool = Field(description="true or false")


class Trainer(Part):
    """jobset: the JobSet that the chart would bring along."""

    jobset: Dependency
    image: SplitImage
    manager: Tolerant


class NodeFeatureDiscovery(Part):
    """master and gc run anywhere, worker on every node."""

    master: Tolerant
    gc: Tolerant
    worker: Tolerant


class NetworkOperatorNfd(Part):
    """deployNodeFeatureRules: the chart's own, by which every node with a card of NVIDIA's is one of the fabric."""

    deployNodeFeatureRules: bool = Field(description="true or false")


class NetworkOperator(Part):
    nfd: NetworkOperatorNfd
    node_feature_discovery: NodeFeatureDiscovery = Field(alias="node-feature-discovery")
    operator: Tolerant


class GpuOperatorController(Tolerant):
    """runtimeClass: which handler of containerd makes GPUs visible; the chart's own is nvidia."""

    runtimeClass: Text | None = None


class GpuDirect(Switch):
    """useHostMofed: the driver of the network cards is the machine's own, in no container."""

    useHostMofed: bool = Field(description="true or false")


class GpuDriver(Switch):
    rdma: GpuDirect | None = None


class Mig(Part):
    """single: every slice is one `nvidia.com/gpu`. mixed: each size is a resource of its own."""

    strategy: Literal["none", "single", "mixed"]


class NamedConfig(Part):
    """name: of a ConfigMap in the namespace of the release."""

    name: Text


class OperatedExporter(Part):
    """config: the counters it collects, which take the place of its own. serviceMonitor: for a Prometheus operator."""

    config: NamedConfig
    serviceMonitor: Switch


class MigLayouts(Part):
    """name: of the ConfigMap with the layouts. default: of nodes without a label that names one."""

    name: str
    default: str


class MigManager(Part):
    enabled: bool
    config: MigLayouts | None = None


class GpuOperator(Part):
    """nfd: Node Feature Discovery, which stands in a cluster once."""

    nfd: Switch
    node_feature_discovery: NodeFeatureDiscovery | None = Field(default=None, alias="node-feature-discovery")
    operator: GpuOperatorController
    daemonsets: Tolerant
    driver: GpuDriver
    toolkit: Switch
    dcgmExporter: OperatedExporter
    mig: Mig
    migManager: MigManager

    @model_validator(mode="after")
    def driver_and_toolkit_have_one_owner(self) -> Self:
        """A node image has both or neither (NVIDIA/aicr pull request 1680)."""
        problems: list[str] = []
        if self.driver.enabled != self.toolkit.enabled:
            problems.append(
                f"has driver.enabled {self.driver.enabled} and toolkit.enabled {self.toolkit.enabled}; allowed: both "
                "true or both false; make them the same"
            )
        if not self.driver.enabled and self.operator.runtimeClass is None:
            problems.append(
                "has driver.enabled False and no operator.runtimeClass; allowed without a driver: the class of the "
                "node image; add it, on AKS nvidia-container-runtime"
            )
        if not self.driver.enabled and self.driver.rdma is not None and self.driver.rdma.enabled:
            problems.append(
                "has driver.rdma.enabled True without a driver; allowed: with driver.enabled only; remove driver.rdma"
            )
        if problems:
            raise ValueError("\n".join(problems))
        return self
