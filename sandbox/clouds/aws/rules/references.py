"""References to other resources exist: `references.csv`, one input per row.

Sources: Amazon EC2 API, "Error codes for the Amazon EC2 API"; the errors of the other operations in the reference of
their APIs. The ledger does not contain resources that AWS itself creates: its own policies, service-linked roles, and
resources of other accounts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule
from gpucluster.sandbox.clouds.aws.names import ACCOUNT
from gpucluster.sandbox.clouds.model import rows_by_type, texts

_VPC: Final = "aws:ec2/vpc:Vpc"
_CLUSTER: Final = "aws:eks/cluster:Cluster"
_GLOBAL: Final = "global"


@dataclass(frozen=True)
class _Kind:
    """message: the API's error. there: whether a resource exists, given its id, name or ARN."""

    message: str
    there: Callable[[ManagedResource, str], bool]


@rule("*")
def references_exist(managed: ManagedResource) -> None:
    """References exist in its region, or for IAM in the account."""
    for row in rows_by_type("sandbox/clouds/aws/references.csv").get(managed.token, ()):
        kind = _KINDS[row["kind"]]
        for reference in texts(managed.inputs, row["path"]):
            if not kind.there(managed, reference):
                message = kind.message.format(id=reference)
                raise refused(managed, row["operation"], 400, row["code"], f"{message} ({row['path']})")


def _of_type(token: str, scope: str | None = None) -> Callable[[ManagedResource, str], bool]:
    return lambda managed, id_: managed.ledger.get("aws", scope or managed.scope, token, id_) is not None


def _is_output(managed: ManagedResource, token: str, read: Callable[[Mapping[str, Any]], Any], id_: str) -> bool:
    return any(read(entry.outputs) == id_ for entry in managed.others(token, id_))


def _security_group(managed: ManagedResource, id_: str) -> bool:
    """A resource, the default group of a VPC, or the group that EKS creates for a cluster."""
    return (
        _of_type("aws:ec2/securityGroup:SecurityGroup")(managed, id_)
        or _is_output(managed, _VPC, lambda outputs: outputs.get("defaultSecurityGroupId"), id_)
        or _is_output(
            managed, _CLUSTER, lambda outputs: mapping(outputs.get("vpcConfig")).get("clusterSecurityGroupId"), id_
        )
    )


def _route_table(managed: ManagedResource, id_: str) -> bool:
    """A resource, or the main table of a VPC."""
    own = _of_type("aws:ec2/routeTable:RouteTable")(managed, id_)
    return own or _is_output(managed, _VPC, lambda outputs: outputs.get("mainRouteTableId"), id_)


def _gateway(managed: ManagedResource, id_: str) -> bool:
    """An internet gateway; a route may also lead to the VPC itself or to a virtual private gateway."""
    return id_ == "local" or id_.startswith("vgw-") or _of_type("aws:ec2/internetGateway:InternetGateway")(managed, id_)


def _key(managed: ManagedResource, id_: str) -> bool:
    return _of_type("aws:kms/key:Key")(managed, id_) or (":" in id_ and _by_arn("aws:kms/key:Key", "")(managed, id_))


def _by_arn(token: str, kept: str) -> Callable[[ManagedResource, str], bool]:
    """kept: prefix of the paths that AWS owns. The form of an ARN is checked by the limits."""

    def there(managed: ManagedResource, arn: str) -> bool:
        parts = arn.split(":", 5)
        if len(parts) < 6 or parts[4] != ACCOUNT or (kept and parts[5].startswith(kept)):
            return True
        return any(entry.outputs.get("arn") == arn for entry in managed.ledger.mentioning({token}, arn))

    return there


_KINDS: Final[Mapping[str, _Kind]] = {
    "vpc": _Kind("The vpc ID '{id}' does not exist", _of_type(_VPC)),
    "subnet": _Kind("The subnet ID '{id}' does not exist", _of_type("aws:ec2/subnet:Subnet")),
    "security group": _Kind("The security group '{id}' does not exist", _security_group),
    "route table": _Kind("The routeTable ID '{id}' does not exist", _route_table),
    "gateway": _Kind("The gateway ID '{id}' does not exist", _gateway),
    "NAT gateway": _Kind("The natGateway ID '{id}' does not exist", _of_type("aws:ec2/natGateway:NatGateway")),
    "address": _Kind("The allocation ID '{id}' does not exist", _of_type("aws:ec2/eip:Eip")),
    "launch template": _Kind(
        "The specified launch template, with template ID {id}, does not exist.",
        _of_type("aws:ec2/launchTemplate:LaunchTemplate"),
    ),
    "repository": _Kind(
        f"The repository with name '{{id}}' does not exist in the registry with id '{ACCOUNT}'",
        _of_type("aws:ecr/repository:Repository"),
    ),
    "key": _Kind("Key '{id}' does not exist", _key),
    "role": _Kind("The role with name {id} cannot be found.", _of_type("aws:iam/role:Role", _GLOBAL)),
    "role ARN": _Kind("Role with arn: {id} could not be found", _by_arn("aws:iam/role:Role", "role/aws-service-role/")),
    "policy ARN": _Kind("Policy {id} does not exist or is not attachable.", _by_arn("aws:iam/policy:Policy", "")),
}
