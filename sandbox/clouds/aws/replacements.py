"""The properties whose change replaces a resource: `replacements.csv`, and the few that depend on the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.diff import Change, Kind, property_names
from gpucluster.sandbox.clouds.replacement_table import listed
from gpucluster.sandbox.type_guards import mapping


def replaces(resource: Resource, change: Change) -> bool | None:
    """Whether this change replaces the resource; None if the table has no row for the property."""
    path = property_names(change.path)
    if path[0] in ("tags", "tagsAll"):
        return False
    if path[0] == "region":
        return True
    condition = _CONDITIONS.get((resource.token, path[0]))
    if condition is not None and condition(resource, change):
        return True
    return listed("gpucluster.sandbox.clouds.aws", resource.token, path)


def _lustre_shrinks(resource: Resource, _: Change) -> bool:
    """Storage grows in place, except on SCRATCH_1.

    Source: hashicorp/terraform-provider-aws internal/service/fsx/lustre_file_system.go, CustomizeDiff.
    """
    old, new = resource.old_inputs.get("storageCapacity"), resource.inputs.get("storageCapacity")
    shrinks = isinstance(old, int | float) and isinstance(new, int | float) and new < old
    return shrinks or (resource.inputs.get("deploymentType") or "SCRATCH_1") == "SCRATCH_1"


def _lustre_loses_iops(resource: Resource, _: Change) -> bool:
    """User-provisioned metadata IOPS only grow in place.

    Source: hashicorp/terraform-provider-aws internal/service/fsx/lustre_file_system.go, CustomizeDiff.
    """
    old, new = (mapping(inputs.get("metadataConfiguration")) for inputs in (resource.old_inputs, resource.inputs))
    if new.get("mode") != "USER_PROVISIONED" or not old:
        return False
    before, after = old.get("iops"), new.get("iops")
    return isinstance(before, int | float) and isinstance(after, int | float) and after < before


def _rule_changes_its_source(_: Resource, change: Change) -> bool:
    """A security group rule keeps its kind of source.

    Source: hashicorp/terraform-provider-aws internal/service/ec2/vpc_security_group_ingress_rule.go, ModifyPlan.
    """
    return change.kind is not Kind.UPDATE


def _encryption_removed(_: Resource, change: Change) -> bool:
    """Envelope encryption cannot be turned off.

    Source: hashicorp/terraform-provider-aws internal/service/eks/cluster.go, CustomizeDiff.
    """
    return change.path == "encryptionConfig" and change.kind is Kind.DELETE


def _private_dns_of_no_interface(resource: Resource, _: Change) -> bool:
    """Private DNS is changed in place on interface endpoints only.

    Source: hashicorp/terraform-provider-aws internal/service/ec2/vpc_endpoint.go, CustomizeDiff.
    """
    return resource.inputs.get("vpcEndpointType") != "Interface"


_RULES: Final = ("SecurityGroupIngressRule", "SecurityGroupEgressRule")
_SOURCES: Final = ("cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId")

_CONDITIONS: Final[Mapping[tuple[str, str], Callable[[Resource, Change], bool]]] = {
    ("aws:fsx/lustreFileSystem:LustreFileSystem", "storageCapacity"): _lustre_shrinks,
    ("aws:fsx/lustreFileSystem:LustreFileSystem", "metadataConfiguration"): _lustre_loses_iops,
    ("aws:eks/cluster:Cluster", "encryptionConfig"): _encryption_removed,
    ("aws:ec2/vpcEndpoint:VpcEndpoint", "privateDnsEnabled"): _private_dns_of_no_interface,
    **{
        (f"aws:vpc/{rule[0].lower()}{rule[1:]}:{rule}", source): _rule_changes_its_source
        for rule in _RULES
        for source in _SOURCES
    },
}
