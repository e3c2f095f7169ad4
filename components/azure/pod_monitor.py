"""What Azure's managed Prometheus reads of pods: PodMonitor, `azmonitoring.coreos.com/v1`, as far as it is used here.

The Prometheus operator's kind in a group of Azure's own; the metrics add-on brings its definition and ignores the
operator's.

Source: Azure/prometheus-collector 39583fd, azure-monitor-metrics-addon/templates/ama-metrics-podmonitor-crd.yaml; Azure
Monitor documentation, "Customize collection using CRDs".
"""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from gpucluster.components.kubernetes.objects import Part, Spec, Text
from gpucluster.components.kubernetes.pod_selector import PodSelector

__all__ = ["LIMITS", "PodMonitor"]

LIMITS: dict[str, int] = {"labelLimit": 63, "labelNameLengthLimit": 511, "labelValueLengthLimit": 1023}
"""What Azure takes of labels: their number, and the characters of names and values. A monitor that does not say so
loses every sample with one too many.
"""

_DURATION = r"^\d+(ms|s|m|h)$"


class Relabeling(Part):
    """action labeldrop: labels whose name `regex` matches as a whole. keep, drop: what has these labels so."""

    action: Literal["labeldrop", "labelkeep", "keep", "drop"]
    sourceLabels: list[Text] = Field(default=[], description="names of labels")
    regex: Text


class Endpoint(Part):
    """port: by its name. relabelings: of what Prometheus knows of the pod; metricRelabelings: of each metric."""

    port: Text
    interval: str = Field(pattern=_DURATION, description="a number with ms, s, m or h", examples=["30s"])
    relabelings: list[Relabeling] = Field(default=[], description="a list of rules")
    metricRelabelings: list[Relabeling] = Field(default=[], description="a list of rules")


class PodMonitor(Spec):
    """Pods of its own namespace."""

    api_version: ClassVar[str] = "azmonitoring.coreos.com/v1"
    kind: ClassVar[str] = "PodMonitor"

    selector: PodSelector
    podMetricsEndpoints: list[Endpoint] = Field(min_length=1, description="one endpoint or more")
    labelLimit: int
    labelNameLengthLimit: int
    labelValueLengthLimit: int

    @model_validator(mode="after")
    def limits_are_those_of_azure(self) -> Self:
        problems = [
            f"has {field} {getattr(self, field)}; allowed: {most}, which Azure takes; write it"
            for field, most in LIMITS.items()
            if getattr(self, field) != most
        ]
        if problems:
            raise ValueError("\n".join(problems))
        return self
