"""The two requests that the provider makes for an update of a managed node group.

Source: hashicorp/terraform-provider-aws@012e0a32:internal/service/eks/node_group.go, resourceNodeGroupUpdate ("Do any
version update first").
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from gpucluster.core.catalog.aws_regions import aws_regions
from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.aws import invokes, names
from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.models import MODELS
from gpucluster.sandbox.clouds.aws.names import all_tags, hex_id, refused_tags
from gpucluster.sandbox.clouds.aws.rules import RULES
from gpucluster.sandbox.clouds.cloud import (
    Account,
    Change,
    Cloud,
    Kind,
    Resource,
    SettingError,
    property_names,
)
from gpucluster.sandbox.clouds.kubernetes.chart_values import unknown_configuration
from gpucluster.sandbox.clouds.model import Modelled, changed_inputs, listed
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.limits import Limits
from gpucluster.sandbox.clouds.types.schema import ResourceType
from gpucluster.sandbox.clouds.types.validate import Failure
from gpucluster.sandbox.clouds.types.values import UNKNOWN, plain

_NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
_VERSION: Final = frozenset({"launchTemplate", "releaseVersion", "version"})


def version_first(resource: Resource) -> tuple[Mapping[str, Any], str] | None:
    """The inputs after UpdateNodegroupVersion, with the number of nodes of before, and what is lost by that; None if
    UpdateNodegroupConfig has nothing left to do, or the version stays.
    """
    changed = changed_inputs(resource)
    if resource.token != _NODE_GROUP or not changed & _VERSION or changed <= _VERSION:
        return None
    kept = {key: value for key, value in resource.old_inputs.items() if key not in _VERSION}
    first = {**kept, **{key: value for key, value in resource.inputs.items() if key in _VERSION}}
    before, after = _nodes(first), _nodes(resource.inputs)
    if before is None or after is None or after >= before:
        return first, ""
    what = ", ".join(sorted(changed & _VERSION))
    return first, (
        f"UpdateNodegroupVersion ({what}) replaces all {before} nodes before UpdateNodegroupConfig removes "
        f"{before - after} of them; scale down in an update of its own"
    )


def _nodes(inputs: Mapping[str, Any]) -> int | None:
    """None if it is not known yet."""
    scaling = plain(inputs.get("scalingConfig"))
    found = UNKNOWN if scaling is UNKNOWN else mapping(scaling).get("desiredSize")
    return None if found is UNKNOWN else int(found or 0)


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
    return listed("sandbox/clouds/aws/replacements.csv", resource.token, path)


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


_DIRECTION = "(north|south|central)?(east|west|north|south|central)"
_REGION = rf"[a-z]{{2,4}}(-[a-z]+)*-{_DIRECTION}-\d"
_LIMITS: Final = Limits("gpucluster.sandbox.clouds.aws")
_GLOBAL = "global"
"""Scope of types without a region, such as IAM's."""


class Aws(Cloud):
    """The package `aws`."""

    package = "aws"

    def check_config(self, config: Mapping[str, Any]) -> list[Failure]:
        """Checks the form of a region; the sandbox does not check whether it exists, because the list changes."""
        region = config.get("region")
        if isinstance(region, str) and not re.fullmatch(_REGION, region):
            near = difflib.get_close_matches(region[:40], aws_regions(), n=1)
            hint = f"did you mean {near[0]}?" if near else "a region looks like us-east-1"
            return [Failure("region", f"invalid AWS Region: {region}; {hint}")]
        return []

    def config_replaces(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
        return ["region"] if old.get("region") != new.get("region") else []

    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        region = config.get("region")
        if not region:
            where = "set it in the stack's file, or `region=` on a provider"
            message = f'missing required configuration key "aws:region"; {where}'
            raise SettingError(message, "aws:region", "us-east-1")
        default_tags = mapping(mapping(config.get("defaultTags")).get("tags"))
        return AwsAccount(ledger, region, default_tags)


class AwsAccount(Modelled[ManagedResource]):
    """One provider instance."""

    def __init__(self, ledger: Ledger, region: str, default_tags: Mapping[str, str]) -> None:
        super().__init__(ledger, MODELS, RULES)
        self.region = region
        self._default_tags = default_tags

    @property
    def place(self) -> Mapping[str, Any]:
        return {"region": self.region}

    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        """The region; "global" for types without one, such as IAM's."""
        if "region" not in type_.outputs:
            return _GLOBAL
        own = values.get("region")
        return own if isinstance(own, str) and own else self.region

    def failures(self, resource: Resource) -> list[Failure]:
        tags = all_tags(resource.inputs.get("tags"), self._default_tags)
        return super().failures(resource) or [
            *_LIMITS.failures(resource.token, resource.inputs),
            *(Failure("tags", found.message) for found in refused_tags(resource.token, tags)),
            *(unknown_configuration(resource.inputs) if resource.token == "aws:eks/addon:Addon" else ()),
        ]

    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        return names.with_name(resource, seed)

    def replaces(self, resource: Resource, change: Change) -> bool | None:
        return replaces(resource, change)

    def name_property(self, resource: Resource) -> str | None:
        return names.name_property(resource)

    def derived(self, resource: Resource) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        if "tagsAll" in resource.type.outputs:
            found["tagsAll"] = all_tags(resource.inputs.get("tags"), self._default_tags)
        if "region" in resource.type.outputs:
            own = resource.inputs.get("region")
            found["region"] = self.region if own is None else own
        return found

    def before_update(self, resource: Resource) -> tuple[Mapping[str, Any], str] | None:
        return version_first(resource)

    def delete(self, entry: Entry) -> bool:
        if entry.type == "aws:eks/cluster:Cluster":
            self.ledger.remove_scope(str(entry.outputs["endpoint"]))
        return True

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        return invokes.answer(token, args, self.region, self.ledger)

    def managed(self, resource: Resource, id_: str = "") -> ManagedResource:
        prop = names.name_property(resource)
        inputs = plain(resource.inputs)
        scope = self.scope(resource.type, inputs)
        return ManagedResource(
            token=resource.token,
            id=id_,
            name=str(inputs.get(prop) or "") if prop else "",
            scope=scope,
            region="" if scope == _GLOBAL else scope,
            inputs=inputs,
            previous=plain(resource.outputs),
            tags=plain(all_tags(resource.inputs.get("tags"), self._default_tags)),
            changed=changed_inputs(resource),
            ledger=self.ledger,
        )

    def plain_id(self, managed: ManagedResource) -> str:
        return managed.name or hex_id(managed.token.rsplit(":", 1)[-1].lower())

    def plain_outputs(self, resource: Resource, managed: ManagedResource) -> Mapping[str, Any]:
        if "arn" not in resource.type.outputs or managed.previous:
            return {}
        service = resource.token.split(":")[1].split("/")[0]
        return {"arn": managed.arn(service, f"{resource.token.rsplit(':', 1)[-1]}/{managed.id}")}


SIMULATED: Final = Aws
