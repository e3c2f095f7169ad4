"""The values we set in OpenCost's chart, in a file of its own: most clusters go without.

Source: opencost/opencost-helm-chart 725bb93, charts/opencost/values.yaml.
"""

from pydantic import Field

from gpucluster.components.kubernetes.chart_values import Switch, Toleration
from gpucluster.components.kubernetes.objects import Part, Text
from gpucluster.components.kubernetes.restricted import ContainerSecurity, PodSecurity

__all__ = ["OpenCost"]


class FileMount(Part):
    name: Text
    mountPath: Text
    readOnly: bool | None = None


class OpenCostImage(Part):
    registry: Text


class OpenCostExporter(Part):
    """collectorDataSource: OpenCost reads use from the nodes by itself, and asks no Prometheus. extraEnv: variables."""

    defaultClusterId: Text
    collectorDataSource: Switch
    extraEnv: dict[str, Text] = Field(description="names and values of text")
    extraVolumeMounts: list[FileMount]
    securityContext: ContainerSecurity
    image: OpenCostImage | None = None


class OpenCostPrometheus(Part):
    internal: Switch


class OpenCostParts(Part):
    """mcp: a port for language models. ui: a second container with pages."""

    exporter: OpenCostExporter
    prometheus: OpenCostPrometheus
    mcp: Switch
    ui: Switch
    tolerations: list[Toleration] = Field(description="a list of tolerations")


class NamedConfigMap(Part):
    name: Text


class FileVolume(Part):
    name: Text
    configMap: NamedConfigMap


class OpenCost(Part):
    opencost: OpenCostParts
    podSecurityContext: PodSecurity
    extraVolumes: list[FileVolume]
