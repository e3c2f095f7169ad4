"""A subscription that has all that the examples need, as Azure Resource Manager answers."""

from __future__ import annotations

import base64
import copy
import json
import time
from collections.abc import Mapping
from typing import Any

from azure.core.credentials import AccessToken

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.components.azure.settings import Settings
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.core.program.questions import Question
from tests.components.azure.planning.test_plan import RESERVATION, SUBSCRIPTION, TRIAL

ME, TENANT = "00000000-0000-0000-0000-0000000000ee", "00000000-0000-0000-0000-0000000000aa"
OTHER = "00000000-0000-0000-0000-00000000000c"
HERE = f"/subscriptions/{SUBSCRIPTION}"
OFFICE = f"/subscriptions/{OTHER}/resourceGroups/office/providers/Microsoft.Network/virtualNetworks/office"
HUB = f"/subscriptions/{OTHER}/resourceGroups/hub/providers/Microsoft.Network/virtualNetworks/hub"
FILES = f"{HERE}/resourceGroups/office/providers/Microsoft.StorageCache/amlFilesystems/office"
SNAPSHOT = f"{HERE}/resourceGroups/images/providers/Microsoft.ContainerService/snapshots/trial-1-35"
REGISTRY = f"{HERE}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/Team1"
_ROLE = f"{HERE}/providers/Microsoft.Authorization/roleDefinitions/"
ND, NC, CPU = "Standard_ND96isr_H100_v5", "Standard_NC40ads_H100_v5", "Standard_D8ds_v5"

PROVIDERS = [
    "Microsoft.AlertsManagement",
    "Microsoft.Compute",
    "Microsoft.ContainerRegistry",
    "Microsoft.ContainerService",
    "Microsoft.Insights",
    "Microsoft.ManagedIdentity",
    "Microsoft.Monitor",
    "Microsoft.Network",
    "Microsoft.OperationalInsights",
    "Microsoft.Storage",
    "Microsoft.StorageCache",
]


def token(**claims: str) -> str:
    """Unsigned: nobody here checks it."""
    given = {"oid": ME, "tid": TENANT, "upn": "ada@example.com", **claims}
    return f"e30.{base64.urlsafe_b64encode(json.dumps(given).encode()).decode().rstrip('=')}.signature"


class Login:
    """A credential that always has a token."""

    def get_token(self, *_: str, **__: Any) -> AccessToken:
        return AccessToken(token(), int(time.time()) + 3600)


def usage(name: str, limit: int, used: int = 0) -> dict[str, Any]:
    return {
        "unit": "Count",
        "currentValue": used,
        "limit": limit,
        "name": {"value": name, "localizedValue": name},
    }


def sku(name: str, zones: str = "123", restrictions: Any = (), **capabilities: str) -> dict[str, Any]:
    has = {
        "EphemeralOSDiskSupported": "True",
        "RdmaEnabled": "True" if "r_" in name else "False",
        "LowPriorityCapable": "True",
        "CapacityReservationSupported": "True",
        **capabilities,
    }
    return {
        "resourceType": "virtualMachines",
        "name": name,
        "locations": ["eastus"],
        "locationInfo": [{"location": "eastus", "zones": [*zones]}],
        "capabilities": [{"name": key, "value": value} for key, value in has.items()],
        "restrictions": list(restrictions),
    }


def reservation(name: str = "one", machine: str = ND, count: int = 5, zones: str = "1", **dates: str) -> dict[str, Any]:
    return {
        "id": f"{RESERVATION}/capacityReservations/{name}",
        "name": name,
        "location": "eastus",
        "sku": {"name": machine, "capacity": count},
        "zones": [*zones],
        "properties": {"scheduleProfile": dates} if dates else {},
    }


def group(location: str = "eastus", used: Mapping[str, int] | None = None, shared: str | None = None) -> dict[str, Any]:
    """used: machines in it, by the resource group of a cluster's nodes."""
    kind = "providers/Microsoft.Compute/virtualMachineScaleSets/training/virtualMachines"
    machines = [
        {"id": f"{HERE}/resourceGroups/{owner}/{kind}/{number}"}
        for owner, count in (used or {}).items()
        for number in range(count)
    ]
    view = {"capacityReservations": [{"name": "one", "utilizationInfo": {"virtualMachinesAllocated": machines}}]}
    sharing = {"sharingProfile": {"subscriptionIds": [{"id": f"/subscriptions/{shared}"}]}} if shared else {}
    return {"location": location, "properties": {"instanceView": view, **sharing}}


def subnet(cidr: str = "10.20.0.0/20", used: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "name": "nodes",
        "properties": {
            "addressPrefix": cidr,
            "ipConfigurations": [{"id": f"{OFFICE}/{number}"} for number in range(used)],
            "serviceEndpoints": [{"service": "Microsoft.Storage"}],
            "natGateway": {"id": OFFICE.replace("virtualNetworks", "natGateways")},
            "routeTable": {"id": OFFICE.replace("virtualNetworks", "routeTables")},
            **more,
        },
    }


def permission(*actions: str, without: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"actions": [*actions], "notActions": [*without]}


def answers() -> dict[str, Any]:
    """A copy of one's own, to change."""
    return dict(copy.deepcopy(_ANSWERS))


_ANSWERS: Mapping[str, Any] = {
    "subscription": {"subscriptionId": SUBSCRIPTION, "displayName": "research", "tenantId": TENANT, "state": "Enabled"},
    "providers": [{"namespace": name, "registrationState": "Registered"} for name in PROVIDERS],
    "feature": {"name": "Microsoft.ContainerService/AKSInfinibandSupport", "properties": {"state": "Registered"}},
    "usages": [
        usage("cores", 2_000, 100),
        usage("lowPriorityCores", 1_000),
        usage("standardNDSH100v5Family", 576, 96),
        usage("StandardNCadsH100v5Family", 640),
        usage("standardDDSv5Family", 100, 4),
    ],
    "network usages": [usage("IPv4StandardSkuPublicIpAddresses", 20, 3)],
    "file system usages": [usage("Cache", 4), usage("AmlFilesystem", 4, 1)],
    "skus": [sku(ND), sku(NC), sku(CPU), {"resourceType": "disks", "name": "Premium_LRS"}],
    "tiers": [
        {
            "resourceType": "amlFilesystems",
            "name": f"AMLFS-Durable-Premium-{tier}",
            "locations": ["eastus"],
            "locationInfo": [{"location": "eastus", "zones": ["1", "2"]}],
        }
        for tier in (40, 125, 250, 500)
    ],
    "subnet size": {"filesystemSubnetSize": 24},
    "clusters": [],
    "file systems": [],
    "versions": {
        "values": [
            {"version": "1.35", "capabilities": {"supportPlan": ["KubernetesOfficial", "AKSLongTermSupport"]}},
            {"version": "1.36", "capabilities": {"supportPlan": ["KubernetesOfficial"]}},
            {"version": "1.37", "isPreview": True},
        ]
    },
    "assignments": [
        {"properties": {"scope": HERE, "roleDefinitionId": f"{_ROLE}owner", "principalId": ME}},
    ],
    "role": {
        "/owner": {"properties": {"roleName": "Owner", "permissions": [permission("*")]}},
        "/contributor": {
            "properties": {
                "roleName": "Contributor",
                "permissions": [
                    permission("*", without=("Microsoft.Authorization/*/Delete", "Microsoft.Authorization/*/Write"))
                ],
            }
        },
        "/reader": {"properties": {"roleName": "Reader", "permissions": [permission("*/read")]}},
    },
    "permissions": [permission("*")],
    "reservation group": group(),
    "reservations": [reservation()],
    "snapshot": {
        "location": "eastus",
        "properties": {"kubernetesVersion": "1.35.4", "nodeImageVersion": "AKSUbuntu-2404gen2containerd-202610.19.0"},
    },
    "network": {
        "location": "eastus",
        "properties": {"addressSpace": {"addressPrefixes": ["10.20.0.0/16"]}, "subnets": [{"name": "GatewaySubnet"}]},
    },
    "subnet": {"/nodes": subnet(), "/storage": subnet("10.20.32.0/24")},
    "gateway": {"properties": {"publicIpAddresses": [{"id": OFFICE.replace("virtualNetworks", "publicIPAddresses")}]}},
    "address": {"properties": {"ipAddress": "203.0.113.7"}},
    "routes": {
        "name": "office",
        "properties": {
            "routes": [
                {
                    "properties": {
                        "addressPrefix": "0.0.0.0/0",
                        "nextHopType": "VirtualAppliance",
                        "nextHopIpAddress": "10.20.255.4",
                    }
                }
            ]
        },
    },
    "file system": {"location": "eastus", "properties": {"provisioningState": "Succeeded"}},
    "resource": {
        "/corpora": {"location": "eastus", "properties": {"allowSharedKeyAccess": True}},
        "/text": {"properties": {}},
    },
}


def plan(place: Mapping[str, Any] | None = None, **changes: Any) -> AzureClusterPlan:
    """Of the trial, with changes. place: settings, region and zone."""
    given = dict(place or {})
    region, number = given.pop("region", "eastus"), given.pop("number", "1")
    location = Location(subscription=SUBSCRIPTION, region=region, number=number, settings=Settings(**given))
    spec = ClusterSpec.model_validate({**TRIAL, **changes})
    return CLOUD.plan_cluster(spec, location, stack="azure-trial", machine=None)


def questions(*abouts: str, place: Mapping[str, Any] | None = None, **changes: Any) -> list[Question]:
    """Of the trial's plan with changes; only of these kinds if some are named. place: settings, region and zone."""
    found = [*plan(place, **changes).facts.questions]
    return [one for one in found if one.about in abouts] if abouts else found


RESERVED: Mapping[str, Any] = {"placement": {"kind": "reservation", "id": RESERVATION}}
LINKED: Mapping[str, Any] = {
    "place": {"bucket_group": "data", "lustre_principal": "00000000-0000-0000-0000-0000000000bb"},
    "storage": {
        "shared": {
            "usable_tib": 20,
            "protect": False,
            "bucket": "https://corpora.blob.core.windows.net/text/english",
        }
    },
}
EXISTING: Mapping[str, Any] = {
    "network": {
        "existing": {
            "id": OFFICE,
            "cidr": "10.20.0.0/16",
            "nodes": f"{OFFICE}/subnets/nodes",
            "storage": f"{OFFICE}/subnets/storage",
        }
    },
    "registry": {"kind": "existing", "id": REGISTRY},
    "storage": {
        "shared": {"usable_tib": 20, "existing": {"id": FILES, "mount": "10.20.64.4@tcp:/lustrefs"}},
    },
}
ROUTED: Mapping[str, Any] = {
    **EXISTING,
    "network": {"existing": {**EXISTING["network"]["existing"], "egress": "routes"}},
}
PEERED: Mapping[str, Any] = {
    "access": {"kind": "private", "via": "vpn", "cidrs": ["192.168.0.0/16"], "peer_gateway": True, "peer": HUB}
}
PINNED: Mapping[str, Any] = {
    "place": {"ubuntu": "24.04"},
    "versions": {"kubernetes": "1.36", "nodes": "1.35", "image": SNAPSHOT},
}
EXTENDED: Mapping[str, Any] = {"place": {"ubuntu": "24.04"}, "versions": {"kubernetes": "1.35", "support": "extended"}}
SPOT: Mapping[str, Any] = {"elastic": {"pools": {"dev": {"max_gpus": 8, "purchase": ["spot", "on-demand"]}}}}
