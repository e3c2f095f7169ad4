"""EKS clusters and what hangs on them. Endpoints and certificates look the part and lead nowhere."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import DOMAIN, hex_id
from gpucluster.sandbox.clouds.aws.model import Thing, models
from gpucluster.sandbox.clouds.naming import random_hex
from gpucluster.sandbox.type_guards import items, mapping

__all__: list[str] = []

_DEFAULT_VERSION = "1.35"
"""Kubernetes version where the program names none; one below the newest line of awslabs/amazon-eks-ami v20260714."""

_CERTIFICATE = base64.b64encode(
    b"-----BEGIN CERTIFICATE-----\n"
    + base64.b64encode(b"this certificate belongs to the sandbox and certifies nothing at all")
    + b"\n-----END CERTIFICATE-----\n"
).decode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@models(
    "aws:eks/cluster:Cluster",
    id=lambda thing: thing.name,
    defaults={"version": _DEFAULT_VERSION, "bootstrapSelfManagedAddons": True, "status": "ACTIVE"},
    nested={"vpcConfig": ("clusterSecurityGroupId", "vpcId")},
)
def cluster(thing: Thing) -> Mapping[str, Any]:
    host = thing.keep("endpoint", lambda: _endpoint(thing.region))
    unique = host.removeprefix("https://").split(".")[0]
    version = thing.inputs.get("version") or thing.previous.get("version") or _DEFAULT_VERSION
    return {
        "arn": thing.arn("eks", f"cluster/{thing.name}"),
        "accessConfig": {
            "authenticationMode": "CONFIG_MAP",
            "bootstrapClusterCreatorAdminPermissions": True,
            **mapping(thing.inputs.get("accessConfig")),
        },
        "certificateAuthority": {"data": _CERTIFICATE},
        "createdAt": thing.keep("createdAt", _now),
        "endpoint": host,
        "identities": [{"oidcs": [{"issuer": f"https://oidc.eks.{thing.region}.{DOMAIN}/id/{unique}"}]}],
        "kubernetesNetworkConfig": {
            "ipFamily": "ipv4",
            "serviceIpv4Cidr": "10.100.0.0/16",
            **mapping(thing.inputs.get("kubernetesNetworkConfig")),
        },
        "platformVersion": "eks.1",
        "upgradePolicy": thing.inputs.get("upgradePolicy") or {"supportType": "EXTENDED"},
        "version": version,
        "vpcConfig": _vpc_config(thing),
    }


def _endpoint(region: str) -> str:
    return f"https://{random_hex(32).upper()}.gr7.{region}.eks.{DOMAIN}"


def _vpc_config(thing: Thing) -> Mapping[str, Any]:
    config = mapping(thing.inputs.get("vpcConfig"))
    before = mapping(thing.previous.get("vpcConfig"))
    subnets = [thing.other("aws:ec2/subnet:Subnet", id_) for id_ in items(config.get("subnetIds"))]
    return {
        "endpointPrivateAccess": False,
        "endpointPublicAccess": True,
        "publicAccessCidrs": ["0.0.0.0/0"],
        **config,
        "clusterSecurityGroupId": before.get("clusterSecurityGroupId") or hex_id("sg"),
        "vpcId": next((subnet.outputs["vpcId"] for subnet in subnets if subnet), ""),
    }


@models(
    "aws:eks/nodeGroup:NodeGroup",
    id=lambda thing: f"{thing.inputs['clusterName']}:{thing.name}",
    defaults={"amiType": "AL2023_x86_64_STANDARD", "capacityType": "ON_DEMAND", "status": "ACTIVE"},
    changing=("releaseVersion",),
)
def node_group(thing: Thing) -> Mapping[str, Any]:
    path = f"{thing.inputs['clusterName']}/{thing.name}"
    unique = thing.keep(
        "arn", lambda: f"/{random_hex(8)}-{random_hex(4)}-{random_hex(4)}-{random_hex(4)}-{random_hex(12)}"
    )
    unique = unique.rsplit("/", 1)[-1]
    cluster = thing.inputs["clusterName"]
    of_cluster = next(
        (entry for entry in thing.others("aws:eks/cluster:Cluster", cluster) if entry.name == cluster), None
    )
    version = thing.inputs.get("version") or (of_cluster.outputs["version"] if of_cluster else _DEFAULT_VERSION)
    has_template = bool(thing.inputs.get("launchTemplate"))
    return {
        "arn": thing.arn("eks", f"nodegroup/{path}/{unique}"),
        "diskSize": thing.inputs.get("diskSize") or (0 if has_template else 20),
        "instanceTypes": thing.inputs.get("instanceTypes") or ([] if has_template else ["t3.medium"]),
        "releaseVersion": thing.inputs.get("releaseVersion") or f"{version}.0-00000000",
        "resources": [
            {
                "autoscalingGroups": [{"name": f"eks-{thing.name}-{unique}"}],
                "remoteAccessSecurityGroupId": "",
            }
        ],
        "updateConfig": thing.inputs.get("updateConfig") or {"maxUnavailable": 1},
        "version": version,
    }


@models(
    "aws:eks/addon:Addon",
    id=lambda thing: f"{thing.inputs['clusterName']}:{thing.inputs['addonName']}",
    changing=("modifiedAt",),
)
def addon(thing: Thing) -> Mapping[str, Any]:
    path = f"addon/{thing.inputs['clusterName']}/{thing.inputs['addonName']}"
    return {
        "arn": thing.keep("arn", lambda: thing.arn("eks", f"{path}/{random_hex(8)}")),
        "addonVersion": thing.inputs.get("addonVersion") or "v0.0.0-eksbuild.1",
        "createdAt": thing.keep("createdAt", _now),
        "modifiedAt": _now(),
    }


@models(
    "aws:eks/accessEntry:AccessEntry",
    id=lambda thing: f"{thing.inputs['clusterName']}:{thing.inputs['principalArn']}",
    defaults={"type": "STANDARD"},
    changing=("modifiedAt",),
)
def access_entry(thing: Thing) -> Mapping[str, Any]:
    principal = thing.inputs["principalArn"]
    path = f"access-entry/{thing.inputs['clusterName']}/role/{principal.split(':')[4]}/{principal.rsplit('/', 1)[-1]}"
    return {
        "accessEntryArn": thing.keep("accessEntryArn", lambda: thing.arn("eks", f"{path}/{random_hex(8)}")),
        "createdAt": thing.keep("createdAt", _now),
        "modifiedAt": _now(),
        "userName": thing.inputs.get("userName") or principal,
    }


@models(
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    id=lambda thing: "#".join((thing.inputs["clusterName"], thing.inputs["principalArn"], thing.inputs["policyArn"])),
)
def access_policy_association(thing: Thing) -> Mapping[str, Any]:
    now = thing.keep("associatedAt", _now)
    return {"associatedAt": now, "modifiedAt": now}


@models("aws:eks/podIdentityAssociation:PodIdentityAssociation", id=lambda _: f"a-{random_hex(17)}")
def pod_identity_association(thing: Thing) -> Mapping[str, Any]:
    return {
        "associationArn": thing.arn("eks", f"podidentityassociation/{thing.inputs['clusterName']}/{thing.id}"),
        "associationId": thing.id,
    }
