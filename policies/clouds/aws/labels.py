"""Tags of AWS resources and of machines they start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpucluster.core.catalog.labels import LabelSyntax, argument_of
from gpucluster.core.catalog.nodes import KUBELET_DOMAINS
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at, items, known_items, setting, text
from gpucluster.policies.clouds.aws.pools import INSTANCE, LAUNCH_TEMPLATE, NODE_GROUP, SCALING_GROUP
from gpucluster.policies.clouds.label_sets import LabelSet, Place, labels_at, labels_with_defaults, node_labels

NODE_CLASSES: Final = {
    ("karpenter.k8s.aws", "EC2NodeClass"): ("tags of the instances and disks it starts", LabelSyntax.AWS, "tags")
}
"""Format as in `policies.clouds.kubernetes.labels`."""

_BATCH: Final = "aws:batch/computeEnvironment:ComputeEnvironment"
_GROUP_TAG: Final = "aws:autoscaling/tag:Tag"

# Node groups propagate these to the machines and their disks; tags of the template itself stay with the template.
_STARTED: Final = {"instance": "tags of the instances it starts", "volume": "tags of the disks it starts"}
# Source: aws/containers-roadmap#608.
_NEEDS_TEMPLATE: Final = (
    "Tags of a node group stay with it: give it a launch template with the tags under tagSpecifications, for "
    "`instance` and `volume`."
)
_ALL_STARTED: Final = "tags of the instances and disks it starts"
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
            written=_listed if resource.type == SCALING_GROUP else dict,
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
        if "launchTemplate" not in resource.inputs:
            yield LabelSet(where=_ALL_STARTED, labels={}, syntax=LabelSyntax.AWS, advice=_NEEDS_TEMPLATE)
    if resource.type == INSTANCE and "launchTemplate" not in resource.inputs:
        yield from _disk_tags(resource, provider)
    if resource.type == _BATCH and not _starts_nothing(resource):
        place = ("computeResources", "tags")
        tags = labels_at(at(resource.inputs, *place))
        yield LabelSet(where=_ALL_STARTED, labels=tags, syntax=LabelSyntax.AWS, place=place)


def _starts_nothing(environment: Resource) -> bool:
    """Whether a compute environment of Batch has machines that Fargate runs, or a template that tags them."""
    resources = environment.inputs.get("computeResources")
    kind = text(resources, "type")
    kind = text(resources, "type")
    fargate = isinstance(kind, str) and kind.startswith("FARGATE")
    return resources in (None, UNKNOWN) or fargate or at(resources, "launchTemplate") is not None


def _disk_tags(instance: Resource, provider: Resource | None) -> Iterator[LabelSet]:
    """Tags of the disks of an instance: its own are not theirs, the provider's default tags are. Source: pulumi-aws
    7.51.1, ec2.Instance ("five types of tags")."""
    default = at(setting(provider, "defaultTags"), "tags")
    root, volumes = at(instance.inputs, "rootBlockDevice", "tags"), at(instance.inputs, "volumeTags")
    place: Place = ("volumeTags",) if root is None else ("rootBlockDevice", "tags")
    own = volumes if root is None else root
    tags = labels_with_defaults(own, None, default)
    yield LabelSet(where="tags of its root disk", labels=tags, syntax=LabelSyntax.AWS, place=place)
    for index, disk in enumerate(known_items(instance.inputs, "ebsBlockDevices")):
        if volumes is None:
            yield LabelSet(
                where=f"tags of its disk {index + 1}",
                labels=labels_with_defaults(at(disk, "tags"), None, default),
                syntax=LabelSyntax.AWS,
                place=("ebsBlockDevices", index, "tags"),
            )


def with_stack(sets: Iterable[LabelSet], resource: Resource, resources: Resources) -> Iterator[LabelSet]:
    """Label sets of what starts machines, with the tags that Auto Scaling adds to the instances, over those of the
    template. It adds none to disks. Source: Amazon EC2 Auto Scaling API, CreateAutoScalingGroup, Tags.

    If the tags of a node group's Auto Scaling group were added apart, only those of the instances are checked: the
    template keeps its own, or a label would create a new version of it, and replace every node.
    """
    if resource.type == LAUNCH_TEMPLATE:
        yield from _of_template(sets, resource, resources)
        return
    added: Mapping[str, Any] | Unknown = _added_tags(resource, resources) if resource.type in _STARTERS else {}
    for labels in sets:
        yield (
            replace(labels, where=_STARTED["instance"], labels=added)
            if labels.where == _ALL_STARTED and added
            else labels
        )
    if resource.type == SCALING_GROUP and _template_of(resource, resources) is None:
        yield LabelSet(
            where=_STARTED["instance"],
            labels=added,
            syntax=LabelSyntax.AWS,
            place=("tags",),
            written=_listed,
            partial="launchConfiguration" not in resource.inputs,  # one has no tags
        )


_STARTERS: Final = (NODE_GROUP, SCALING_GROUP)


def _of_template(sets: Iterable[LabelSet], template: Resource, resources: Resources) -> Iterator[LabelSet]:
    starters = [
        starter
        for starter in resources.of_type(*_STARTERS)
        if (of := _template_of(starter, resources)) is not None and of.urn == template.urn
    ]
    added = [_added_tags(starter, resources) for starter in starters]
    known = [tags for tags in added if tags is not UNKNOWN]
    keeps = any(starter.type == NODE_GROUP and tags for starter, tags in zip(starters, added, strict=True))
    first: Mapping[str, Any] = known[0] if known else {}
    common = {key: value for key, value in first.items() if all(key in tags for tags in known)}
    for labels in sets:
        if labels.where == _STARTED["instance"] and len(known) < len(added):
            yield replace(labels, labels=UNKNOWN)
        elif labels.where == _STARTED["instance"] and common:
            yield replace(labels, labels=common if labels.labels is UNKNOWN else {**labels.labels, **common})
        elif not keeps:
            yield labels


def _template_of(starter: Resource, resources: Resources) -> Resource | None:
    """The launch template of a node group or Auto Scaling group, None for one of another stack."""
    found = (resources.referred(starter, of, LAUNCH_TEMPLATE) for of in ("launchTemplate", "mixedInstancesPolicy"))
    return next((template for template in found if template is not None), None)


def _added_tags(starter: Resource, resources: Resources) -> Mapping[str, Any] | Unknown:
    """Tags that a node group or Auto Scaling group adds to every machine it starts from now on."""
    own = items(starter.inputs, "tags") if starter.type == SCALING_GROUP else []
    if own is UNKNOWN:
        return UNKNOWN
    added = [
        at(tag.inputs, "tag")
        for tag in resources.of_type(_GROUP_TAG)
        if (group := resources.referred(tag, "autoscalingGroupName", starter.type)) is not None
        and group.urn == starter.urn
    ]
    return {
        key: at(tag, "value")
        for tag in (*own, *added)
        if isinstance(key := text(tag, "key"), str) and at(tag, "propagateAtLaunch") in (True, UNKNOWN)
    }


def _own_tags(resource: Resource, provider: Resource | None) -> Mapping[str, Any] | Unknown:
    own = at(resource.inputs, "tags")
    if isinstance(own, list):  # an Auto Scaling group has a list of keys and values
        entries = known_items(resource.inputs, "tags")
        own = {key: at(entry, "value") for entry in entries if isinstance(key := text(entry, "key"), str)}
    # Source: Terraform's AWS provider, "Default Tags in the Terraform AWS Provider": all resources except Auto Scaling
    # groups.
    default = None if resource.type == SCALING_GROUP else at(setting(provider, "defaultTags"), "tags")
    return labels_with_defaults(own, resource.outputs.get("tagsAll"), default)


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
