"""The values we set in the OpenTelemetry collector's chart, in a file of its own: most clusters go without.

Source: open-telemetry/opentelemetry-helm-charts dd5665c, charts/opentelemetry-collector/values.yaml.
"""

from typing import Any, Literal

from pydantic import Field

from gpucluster.components.kubernetes.chart_values import PinnedImage, Switch, Tolerant
from gpucluster.components.kubernetes.objects import Part, Text
from gpucluster.components.kubernetes.restricted import ContainerSecurity, PodSecurity

__all__ = ["Collector"]


class CollectorPort(Switch):
    """The numbers of a port that the chart does not know."""

    containerPort: int | None = Field(default=None, ge=1, le=65535, description="a port")
    servicePort: int | None = Field(default=None, ge=1, le=65535, description="a port")
    protocol: Literal["TCP", "UDP"] | None = None


class CollectorPresets(Part):
    """kubernetesAttributes: of every metric, which pod sent it; with the right to read pods and namespaces."""

    kubernetesAttributes: Switch


class CollectorAccount(Part):
    name: Text
    annotations: dict[str, Text] | None = Field(default=None, description="keys and values of text")


class CollectorResources(Part):
    requests: dict[str, Text]
    limits: dict[str, Text]


class CollectorConfig(Part):
    """The collector's own configuration; its parts are checked by itself as it starts."""

    receivers: dict[str, Any]
    processors: dict[str, Any]
    exporters: dict[str, Any] = Field(min_length=1, description="one exporter or more")
    extensions: dict[str, Any]
    service: dict[str, Any]


class Collector(Tolerant):
    """alternateConfig: takes the place of the chart's own configuration, which takes in much that nobody sends."""

    mode: Literal["deployment"]
    fullnameOverride: Text
    image: PinnedImage
    presets: CollectorPresets
    ports: dict[str, CollectorPort] = Field(description="each port by its name")
    serviceAccount: CollectorAccount
    podLabels: dict[str, Text] | None = Field(default=None, description="keys and values of text")
    podSecurityContext: PodSecurity
    securityContext: ContainerSecurity
    resources: CollectorResources
    alternateConfig: CollectorConfig
