"""Kinds of Google Cloud's Managed Service for Prometheus, `monitoring.googleapis.com/v1`, as far as they are used here.

Source: GoogleCloudPlatform/prometheus-engine v0.17.2, charts/operator/crds.
"""

import re
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from gpucluster.components.kubernetes.objects import Part, Spec, Text
from gpucluster.components.kubernetes.pod_selector import PodSelector

__all__ = ["ClusterRules", "PodMonitoring"]

_DURATION: Final = re.compile(r"(?=.)(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?")
_METRIC: Final = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")


def _duration(value: str) -> str:
    if not _DURATION.fullmatch(value):
        raise ValueError(f"is {value!r}; allowed: numbers with y, w, d, h, m, s or ms; write 30s")
    return value


def _metric(value: str) -> str:
    if not _METRIC.fullmatch(value):
        raise ValueError(f"is {value!r}; allowed: letters, digits, _ and :, no digit first; change it")
    return value


Duration = Annotated[str, AfterValidator(_duration)]
Metric = Annotated[str, AfterValidator(_metric)]


class Relabeling(Part):
    """keep: what has these labels so."""

    action: Literal["keep", "drop"]
    sourceLabels: list[Text] = Field(min_length=1, description="names of labels")
    regex: Text


class Endpoint(Part):
    """port: by its name."""

    port: Text
    interval: Duration
    metricRelabeling: list[Relabeling] = Field(default=[], max_length=250, description="up to 250 rules")


class TargetLabels(Part):
    """metadata: what is said of the pod that was read. Left out, its name and that of its container are."""

    metadata: list[Literal["container", "node", "pod", "top_level_controller_name", "top_level_controller_type"]]


class PodMonitoring(Spec):
    """Which pods of its own namespace are read. Labels of a metric that the service sets too get `exported_` in front.

    Source: Google Cloud documentation, "Managed collection".
    """

    api_version: ClassVar[str] = "monitoring.googleapis.com/v1"
    kind: ClassVar[str] = "PodMonitoring"

    selector: PodSelector
    endpoints: list[Endpoint] = Field(min_length=1, description="one endpoint or more")
    targetLabels: TargetLabels


class Rule(Part):
    """What is recorded under a name, or an alert with what holds for it."""

    record: Metric | None = None
    alert: Text | None = None
    expr: Text
    for_: Duration | None = Field(default=None, alias="for")
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None

    @model_validator(mode="after")
    def it_records_or_alerts(self) -> Self:
        if (self.record is None) == (self.alert is None):
            raise ValueError(f"has record {self.record} and alert {self.alert}; allowed: one of them; keep one")
        if self.alert is None and (self.annotations or self.for_):
            raise ValueError(f"has annotations or for beside record {self.record}; allowed: on alerts; remove them")
        return self


class RuleGroup(Part):
    """Rules that are evaluated one after the other."""

    name: Text
    interval: Duration
    rules: list[Rule] = Field(min_length=1, description="one rule or more")


class ClusterRules(Spec):
    """Rules over what one cluster sends, of all its namespaces."""

    api_version: ClassVar[str] = "monitoring.googleapis.com/v1"
    kind: ClassVar[str] = "ClusterRules"

    groups: list[RuleGroup] = Field(min_length=1, description="one group or more")
