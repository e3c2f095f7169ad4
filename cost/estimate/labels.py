"""Chargeback: the lines of an estimate by a label of their resources, such as team or cost center."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import is_object
from gpucluster.core.text.json_text import BadJson, parse
from gpucluster.cost.estimate.estimate import Estimate, for_days
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import Amounts, CostLine, NotPriced, committed_sum
from gpucluster.cost.pricing.money import ranged

NO_LABEL: Final = "(no label)"
"""Group of resources without the label."""

NOT_KNOWN: Final = "(not known before the update)"
"""Group of resources whose label value is unknown until the update."""

_MOST_LABELS: Final = 8
"""Labels offered for selection on a page."""
_OF_TOOLS: Final = re.compile(
    r"[/:]|^(?:pulumi|gpucluster|goog|aks-managed|hidden)-|^managed-by$|^AMPAgentlessScraper$"
)
"""Labels that tools set for their own use: this one and Pulumi, Google Cloud (Resource Manager, goog- is reserved), AKS
(aks-managed- on its resource group), Azure's portal (hidden-). The scraper of Amazon Managed Prometheus requires its
label (user guide)."""


@dataclass(frozen=True, slots=True)
class Group:
    """The lines of all resources with one label value, and what of them has no price."""

    value: str
    lines: tuple[CostLine, ...]
    not_priced: tuple[NotPriced, ...] = ()

    @property
    def gap(self) -> Gap:
        """The gap of its expected sum."""
        return Gap.of(self.not_priced)

    @property
    def ceiling_gap(self) -> Gap:
        """The gap of its ceiling."""
        return Gap.of(self.not_priced, lambda of: of.ceiling)

    @property
    def complete(self) -> bool:
        """Whether all of its resources are priced or free."""
        return not self.gap.missing

    @property
    def monthly(self) -> Amounts:
        """The sum of its lines."""
        return Amounts.of(self.lines)

    @property
    def committed_monthly(self) -> Decimal:
        """USD per month of capacity bought outside the stack; included in its sum."""
        return committed_sum(self.lines)

    def trial(self, estimate: Estimate) -> str:
        """The cost of the stack's duration, as text: `at least $12.00` with a gap; empty without a duration."""
        days = estimate.facts.duration_days
        if days is None:
            return ""
        usd = for_days(self.lines, self.monthly.expected, days)
        return ranged(usd, replace(estimate.gaps, items=self.not_priced).trial)


@dataclass(frozen=True, slots=True)
class Grouping:
    """Every line in exactly one group. by_urn: URN of each resource with a line or without a price -> its group."""

    label: str
    groups: tuple[Group, ...]
    by_urn: Mapping[str, str]


def group_by(estimate: Estimate, resources: Resources, label: str) -> Grouping:
    """The groups of a label, most expensive first, resources without the label last."""
    urns = dict.fromkeys(item.urn for item in (*estimate.lines, *estimate.not_priced))
    by_urn = {urn: group_of(resources.get(urn), resources, label) for urn in urns}
    unpriced: dict[str, list[NotPriced]] = {}
    for item in estimate.not_priced:
        unpriced.setdefault(by_urn[item.urn], []).append(item)
    lines: dict[str, list[CostLine]] = {value: [] for value in by_urn.values()}
    for line in estimate.lines:
        lines[by_urn[line.urn]].append(line)
    groups = [Group(value, tuple(found), tuple(unpriced.get(value, ()))) for value, found in lines.items()]
    groups.sort(key=lambda group: (group.value == NO_LABEL, -group.monthly.expected, group.value))
    return Grouping(label, tuple(groups), by_urn)


def labels_of(estimate: Estimate, resources: Resources) -> tuple[str, ...]:
    """Labels useful for chargeback: those with several values first, then those on the largest amounts.

    Excludes names, which differ by resource, and labels that tools set for their own use.
    """
    spent: dict[str, Decimal] = {}
    values: dict[str, set[str]] = {}
    carriers: dict[str, set[str]] = {}
    for line in estimate.lines:
        for label, value in all_labels(resources.get(line.urn), resources).items():
            spent[label] = spent.get(label, Decimal(0)) + line.monthly
            values.setdefault(label, set()).add(value)
            carriers.setdefault(label, set()).add(line.urn)
    shared = [label for label in spent if len(values[label]) == 1 or len(values[label]) < len(carriers[label])]
    kept = [label for label in shared if label.lower() != "name" and not _OF_TOOLS.search(label)]
    return tuple(sorted(kept, key=lambda label: (len(values[label]) == 1, -spent[label], label))[:_MOST_LABELS])


def all_labels(resource: Resource | None, resources: Resources) -> dict[str, str]:
    """Every known label of a resource, as `group_of` finds it."""
    if resource is None:
        return {}
    found: dict[str, str] = {}
    for labels in _labels(resource, resources.get(resource.provider)):
        if is_object(labels):
            found = {**{key: str(value) for key, value in labels.items() if value is not UNKNOWN}, **found}
    return found


def group_of(resource: Resource | None, resources: Resources, label: str) -> str:
    """The value of a resource's label: its own, else its provider's default, in the order that the cloud applies."""
    if resource is None:
        return NO_LABEL
    for labels in _labels(resource, resources.get(resource.provider)):
        if labels is UNKNOWN:
            return NOT_KNOWN
        if is_object(labels) and label in labels:
            value = labels[label]
            return NOT_KNOWN if value is UNKNOWN else str(value) or NO_LABEL
    return NO_LABEL


def _labels(resource: Resource, provider: Resource | None) -> Iterator[Any]:
    """The label properties of a resource, the most specific first.

    pulumi-aws: `tags`, all labels in output `tagsAll`, provider's `defaultTags.tags`. pulumi-gcp: `labels`, a
    cluster's `resourceLabels`, a node pool's `nodeConfig.resourceLabels`, all labels in output `pulumiLabels`,
    provider's `defaultLabels`. pulumi-azure-native: `tags`. Kubernetes objects: `metadata.labels`.
    """
    inputs = resource.inputs
    for name in ("tags", "labels", "resourceLabels"):
        yield inputs.get(name)
    yield _inside(inputs.get("nodeConfig"), "resourceLabels")
    yield _inside(inputs.get("metadata"), "labels")
    for name in ("tagsAll", "pulumiLabels"):
        value = resource.outputs.get(name)
        yield None if value is UNKNOWN else value  # its content, known or unknown, comes from an input
    if provider is not None:
        yield _inside(_decoded(provider.inputs.get("defaultTags")), "tags")
        yield _decoded(provider.inputs.get("defaultLabels"))


def _inside(value: Any, key: str) -> Any:
    return UNKNOWN if value is UNKNOWN else value.get(key) if is_object(value) else None


def _decoded(value: Any) -> Any:
    """A provider's setting; the engine stores objects as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return parse(value)
    except BadJson:
        return None
