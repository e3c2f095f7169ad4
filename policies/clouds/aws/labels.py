"""Tags of AWS resources and of machines they start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpucluster.core.catalog.labels import LabelSyntax, argument_of
from gpucluster.core.catalog.nodes import KUBELET_DOMAINS
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at, items, known_items, setting, text
from gpucluster.policies.clouds.aws.pools import LAUNCH_TEMPLATE, NODE_GROUP
from gpucluster.policies.clouds.label_sets import LabelSet, Place, labels_at, labels_with_defaults, node_labels

NODE_CLASSES: Final = {
    ("karpenter.k8s.aws", "EC2NodeClass"): ("tags of the instances and disks it starts", LabelSyntax.AWS, "tags")
}
"""Format as in `policies.clouds.kubernetes.labels`."""

# An Auto Scaling group has a list of tags; every other type has a map.
_LISTS_TAGS: Final = "aws:autoscaling/group:Group"

_GROUP_TAG: Final = "aws:autoscaling/tag:Tag"

# Node groups propagate these to the machines and their disks; tags of the template itself stay with the template.
_STARTED: Final = {"instance": "tags of the instances it starts", "volume": "tags of the disks it starts"}
# Checked only if the template tags it: an interface without tags costs nothing itself.
_STARTED_IF_LISTED: Final = {"network-interface": "tags of the network interfaces it creates"}


def label_sets(resource: Resource, provider: Resource | None) -> Iterator[LabelSet]:
    """Every set of labels of an `aws:` resource, including the provider's default tags."""
    if argument_of(resource.type) is not None:
        yield LabelSet(
            where="tags",
            labels=_own_tags(resource, provider),
            syntax=LabelSyntax.AWS,
            place=("tags",),
            written=_listed if resource.type == _LISTS_TAGS else dict,
            own=True,
        )
    if resource.type == LAUNCH_TEMPLATE:
        for kind, where in {**_STARTED, **_STARTED_IF_LISTED}.items():
            labels = _started_tags(resource, kind)
            if labels is not None or kind in _STARTED:
                place, written = _started_place(resource, kind)
                yield LabelSet(
                    where=where,
                    labels={} if labels is None else labels,
                    syntax=LabelSyntax.AWS,
                    place=place,
                    written=written,
                )
    if resource.type == NODE_GROUP:
        yield node_labels(resource.inputs.get("labels"), ("labels",), KUBELET_DOMAINS)


def with_stack(sets: Iterable[LabelSet], resource: Resource, resources: Resources) -> Iterator[LabelSet]:
    """Label sets of a launch template, with the tags that the Auto Scaling groups of its node groups add.

    With such tags, only those of the instances are checked: the template keeps its own, or a label would create a new
    version of it, and replace every node. They override the template's. Source: Amazon EC2 Auto Scaling API,
    CreateAutoScalingGroup, Tags.
    """
    added = _group_tags(resource, resources) if resource.type == LAUNCH_TEMPLATE else {}
    for labels in sets:
        if not added:
            yield labels
        elif labels.where == _STARTED["instance"]:
            yield replace(labels, labels=added if labels.labels is UNKNOWN else {**labels.labels, **added})


def _group_tags(template: Resource, resources: Resources) -> dict[str, Any]:
    """Tags that a node group adds to every machine it starts from the template from now on."""
    found: dict[str, Any] = {}
    for tag in resources.of_type(_GROUP_TAG):
        group = resources.referred(tag, "autoscalingGroupName", NODE_GROUP)
        key = text(tag.inputs, "tag", "key")
        if group is None or not isinstance(key, str) or at(tag.inputs, "tag", "propagateAtLaunch") is not True:
            continue
        of_group = resources.referred(group, "launchTemplate", LAUNCH_TEMPLATE)
        if of_group is not None and of_group.urn == template.urn:
            found[key] = at(tag.inputs, "tag", "value")
    return found


def _own_tags(resource: Resource, provider: Resource | None) -> Mapping[str, Any] | Unknown:
    own = at(resource.inputs, "tags")
    if isinstance(own, list):  # an Auto Scaling group has a list of keys and values
        entries = known_items(resource.inputs, "tags")
        own = {key: at(entry, "value") for entry in entries if isinstance(key := text(entry, "key"), str)}
    return labels_with_defaults(own, resource.outputs.get("tagsAll"), at(setting(provider, "defaultTags"), "tags"))


def _started_tags(template: Resource, kind: str) -> Mapping[str, Any] | Unknown | None:
    """None if the template does not list the kind."""
    specifications = items(template.inputs, "tagSpecifications")
    if specifications is UNKNOWN:
        return UNKNOWN
    for specification in specifications:
        if specification is UNKNOWN or at(specification, "resourceType") is UNKNOWN:
            return UNKNOWN
        if at(specification, "resourceType") == kind:
            return labels_at(at(specification, "tags"))
    return None


def _started_place(template: Resource, kind: str) -> tuple[Place, Callable[[Mapping[str, str]], Any]]:
    """The tags of the entry of this kind, else the list with a new entry."""
    for index, specification in enumerate(known_items(template.inputs, "tagSpecifications")):
        if at(specification, "resourceType") == kind:
            return ("tagSpecifications", index, "tags"), dict
    return ("tagSpecifications",), lambda labels: [{"resourceType": kind, "tags": dict(labels)}]


def _listed(labels: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value, "propagateAtLaunch": True} for key, value in labels.items()]
