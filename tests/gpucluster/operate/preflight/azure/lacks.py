"""What a subscription can lack, the answer to the question about it, and the plans that ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.components.azure.planning.test_plan import SUBSCRIPTION
from tests.gpucluster.operate.preflight.azure.subscription import (
    CPU,
    EXISTING,
    EXTENDED,
    HERE,
    LINKED,
    ME,
    NC,
    ND,
    OTHER,
    PEERED,
    PINNED,
    RESERVED,
    ROUTED,
    SPOT,
    group,
    permission,
    reservation,
    sku,
    subnet,
    usage,
)

Change = Callable[[dict[str, Any]], object]


PLANS: Mapping[str, Mapping[str, Any]] = {
    "trial": {},
    "spot": SPOT,
    "reserved": RESERVED,
    "linked": LINKED,
    "existing": EXISTING,
    "routed": ROUTED,
    "peered": PEERED,
    "pinned": PINNED,
    "extended": EXTENDED,
}


def _replaced(name: str, value: Any) -> Change:
    return lambda found: found.update({name: value})


def _deep(*path: Any, value: Any) -> Change:
    def change(found: Any) -> None:
        *outer, last = path
        for key in outer:
            found = found[key]
        found[last] = value

    return change


def _gone(name: str) -> Change:
    return lambda found: found.pop(name)


def role(role: str, **more: Any) -> Change:
    id_ = f"{HERE}/providers/Microsoft.Authorization/roleDefinitions/{role}"
    return _replaced("assignments", [{"properties": {"scope": "/", "roleDefinitionId": id_, **more}}])


def _restricted(kind: str, **info: Any) -> Change:
    limit = {"type": kind, "reasonCode": "NotAvailableForSubscription", "restrictionInfo": info}
    return _replaced("skus", [sku(ND, restrictions=[limit]), sku(NC), sku(CPU)])


# Name -> kind and subject of the question, the plan, what the subscription has instead; verdict, found, fix, command.
NO: Mapping[str, tuple[str, str, Change, tuple[str, str, str, str]]] = {
    "a disabled subscription": (
        "subscription",
        "trial",
        _deep("subscription", "state", value="Disabled"),
        ("stops up", "Disabled", "an owner must enable it", "az account list --all --output table"),
    ),
    "a subscription that is not paid": (
        "subscription",
        "trial",
        _deep("subscription", "state", value="PastDue"),
        ("warns", "PastDue", "it still works: pay or renew it before Azure disables it", ""),
    ),
    "a provider that is not registered": (
        "provider Microsoft.StorageCache",
        "trial",
        _deep("providers", 10, "registrationState", value="NotRegistered"),
        (
            "stops up",
            "NotRegistered",
            "register it",
            "az provider register --wait --namespace Microsoft.StorageCache",
        ),
    ),
    "a provider that waits": (
        "provider Microsoft.Storage",
        "trial",
        _deep("providers", 9, "registrationState", value="Registering"),
        ("warns", "Registering", "wait until it is Registered", "az provider show --namespace Microsoft.Storage"),
    ),
    "a feature that waits": (
        "feature",
        "trial",
        _deep("feature", "properties", "state", value="Pending"),
        (
            "stops up",
            "Pending",
            "Microsoft has to approve it: ask its support if it stays so",
            "az feature show --namespace Microsoft.ContainerService --name AKSInfinibandSupport --query "
            "properties.state",
        ),
    ),
    "a feature that nobody has registered": (
        "feature",
        "trial",
        _gone("feature"),
        (
            "stops up",
            "NotRegistered",
            "register it, and wait for Registered",
            "az feature register --namespace Microsoft.ContainerService --name AKSInfinibandSupport",
        ),
    ),
    "a quota that is too small": (
        "quota standardNDSH100v5Family",
        "trial",
        _deep("usages", 2, value=usage("standardNDSH100v5Family", 480, 96)),
        (
            "stops up",
            "384 left: 96 of 480 in use",
            "ask for a limit of 576 or more of standardNDSH100v5Family in eastus",
            f'az quota update --resource-name "standardNDSH100v5Family" --scope {HERE}/providers/Microsoft.Compute/'
            "locations/eastus --limit-object value=576 --resource-type dedicated",
        ),
    ),
    "a spot quota that is too small": (
        "quota lowPriorityCores",
        "spot",
        _deep("usages", 1, value=usage("lowPriorityCores", 10)),
        (
            "stops up",
            "10 left: 0 of 10 in use",
            "ask for a limit of 320 or more of lowPriorityCores in eastus",
            f'az quota update --resource-name "lowPriorityCores" --scope {HERE}/providers/Microsoft.Compute/'
            "locations/eastus --limit-object value=320 --resource-type lowPriority",
        ),
    ),
    "a quota that the region does not list": (
        "quota cores",
        "trial",
        _deep("usages", 0, value=usage("virtualMachines", 10)),
        ("can't tell", "eastus lists no quota of this name", "", ""),
    ),
    "as many file systems as allowed": (
        "file-systems",
        "trial",
        _deep("file system usages", 1, "currentValue", value=4),
        (
            "stops up",
            "0 left: 4 of 4 in use",
            "ask Microsoft's support for a limit of 5 or more of AmlFilesystem in eastus",
            "",
        ),
    ),
    "no address left": (
        "addresses",
        "trial",
        _deep("network usages", 0, "currentValue", value=20),
        (
            "warns",
            "0 left: 20 of 20 in use",
            "ask for a limit of 21 or more of IPv4StandardSkuPublicIpAddresses in eastus",
            f'az quota update --resource-name "IPv4StandardSkuPublicIpAddresses" --scope {HERE}/providers/'
            "Microsoft.Network/locations/eastus --limit-object value=21",
        ),
    ),
    "a machine of other zones": (
        f"machine {ND}",
        "trial",
        _replaced("skus", [sku(ND, "23"), sku(NC), sku(CPU)]),
        (
            "stops up",
            "in zones 2, 3",
            'write gpucluster:zone: "2", or one of 3',
            f"az vm list-skus --location eastus --size {ND} --all --output table",
        ),
    ),
    "a machine that a zone withholds": (
        f"machine {ND}",
        "trial",
        _restricted("Zone", zones=["1", "3"]),
        (
            "stops up",
            "in zone 2",
            'write gpucluster:zone: "2"',
            f"az vm list-skus --location eastus --size {ND} --all --output table",
        ),
    ),
    "a machine that the subscription can't have": (
        f"machine {ND}",
        "trial",
        _restricted("Location", locations=["eastus"]),
        (
            "stops up",
            "not for this subscription (NotAvailableForSubscription)",
            f"ask Microsoft's support for access to {ND} in eastus, or choose another region",
            f"az vm list-skus --location eastus --size {ND} --all --output table",
        ),
    ),
    "a machine of no zone": (
        f"machine {ND}",
        "trial",
        _replaced("skus", [sku(ND, ""), sku(NC), sku(CPU)]),
        (
            "stops up",
            "in no zone, for the region only",
            "write gpucluster:zone: none, or choose another region",
            f"az vm list-skus --location eastus --size {ND} --all --output table",
        ),
    ),
    "a machine that the region lacks": (
        f"machine {ND}",
        "trial",
        _replaced("skus", [sku(NC), sku(CPU)]),
        (
            "stops up",
            "not offered in the region",
            "choose another region or zone (gpucluster:region, gpucluster:zone), or another machine",
            f"az vm list-skus --location eastus --size {ND} --all --output table",
        ),
    ),
    "a machine for system nodes of two zones": (
        f"machine {CPU}",
        "trial",
        _replaced("skus", [sku(ND), sku(NC), sku(CPU, "13")]),
        (
            "stops up",
            "in zones 1, 3",
            "choose another gpucluster:systemMachine, or another region",
            f"az vm list-skus --location eastus --size {CPU} --all --output table",
        ),
    ),
    "a machine without InfiniBand": (
        f"machine {ND}",
        "trial",
        _replaced("skus", [sku(ND, RdmaEnabled="False", EphemeralOSDiskSupported="False"), sku(NC), sku(CPU)]),
        (
            "stops up",
            "no InfiniBand, no ephemeral system disk",
            "choose another machine",
            f"az vm list-skus --location eastus --size {ND} --all --output table",
        ),
    ),
    "a machine that is not sold as spot": (
        f"machine {NC}",
        "spot",
        _replaced("skus", [sku(ND), sku(NC, LowPriorityCapable="False"), sku(CPU)]),
        (
            "stops up",
            "not sold as spot",
            "choose another machine",
            f"az vm list-skus --location eastus --size {NC} --all --output table",
        ),
    ),
    "a machine that reservations can't hold": (
        "reservable",
        "reserved",
        _replaced("skus", [sku(ND, CapacityReservationSupported="False"), sku(NC), sku(CPU)]),
        ("warns", "not supported for this subscription", "ask Microsoft before you rely on the group", ""),
    ),
    "a version of Kubernetes that the region lacks": (
        "kubernetes",
        "trial",
        _deep("versions", "values", 0, "version", value="1.34"),
        (
            "stops up",
            "the region has 1.34, 1.36",
            "write one of these as versions.kubernetes",
            "az aks get-versions --location eastus --output table",
        ),
    ),
    "a version without long-term support": (
        "kubernetes",
        "extended",
        _deep("versions", "values", 0, "capabilities", "supportPlan", value=["KubernetesOfficial"]),
        (
            "stops up",
            "no long-term support for this version",
            "write a newer versions.kubernetes",
            "az aks get-versions --location eastus --output table",
        ),
    ),
    "a snapshot that is gone": (
        "snapshot",
        "pinned",
        _gone("snapshot"),
        ("stops up", "does not exist", "write the id of a snapshot as versions.image", "az aks snapshot list"),
    ),
    "a snapshot of another version": (
        "snapshot",
        "pinned",
        _deep("snapshot", "properties", "kubernetesVersion", value="1.36.1"),
        (
            "stops up",
            "Kubernetes 1.36.1, AKSUbuntu-2404gen2containerd-202610.19.0",
            "write '1.36.1' as versions.nodes, or another versions.image",
            "",
        ),
    ),
    "a contributor": (
        f"rights {HERE}",
        "trial",
        role("contributor"),
        (
            "stops up",
            "2 of 2 actions are missing: Microsoft.Authorization/roleAssignments/write, "
            "Microsoft.Authorization/roleAssignments/delete",
            "ask an owner for Role Based Access Control Administrator, or for the role that `gpucluster rights` "
            "writes; activate one that is only eligible",
            f'az role assignment create --role "Role Based Access Control Administrator" --assignee {ME} '
            f"--scope {HERE}",
        ),
    ),
    "an owner under a condition": (
        f"rights {HERE}",
        "trial",
        role("owner", condition="@Request[...]"),
        (
            "can't tell",
            "only under a condition, which Azure evaluates: Microsoft.Authorization/roleAssignments/write, "
            "Microsoft.Authorization/roleAssignments/delete",
            "an owner can tell whether it allows the roles that the plan grants",
            f"az role assignment list --assignee {ME} --include-groups --include-inherited --scope {HERE}",
        ),
    ),
    "a caller that may not assign roles in another group": (
        f"rights /subscriptions/{OTHER}/resourceGroups/office",
        "existing",
        _replaced("permissions", [permission("Microsoft.Network/*")]),
        (
            "stops up",
            "1 of 2 actions are missing: Microsoft.Authorization/roleAssignments/write",
            "ask an owner for Role Based Access Control Administrator, or for the role that `gpucluster rights` "
            "writes; activate one that is only eligible",
            f'az role assignment create --role "Role Based Access Control Administrator" --assignee {ME} --scope '
            f"/subscriptions/{OTHER}/resourceGroups/office",
        ),
    ),
    "a tier of other zones": (
        "lustre-tier",
        "trial",
        lambda found: [one["locationInfo"][0].update(zones=["2", "3"]) for one in found["tiers"]],
        (
            "stops up",
            "in zones 2, 3",
            'write gpucluster:zone: "2", or keep GPU nodes there and the files in a bucket',
            "",
        ),
    ),
    "a tier that the region lacks": (
        "lustre-tier",
        "trial",
        _replaced("tiers", []),
        ("stops up", "not offered in the region", "choose another region, or storage.shared.kind: bucket", ""),
    ),
    "a file system that needs more addresses": (
        "lustre-subnet",
        "trial",
        _deep("subnet size", "filesystemSubnetSize", value=260),
        (
            "stops up",
            "it needs 260 addresses, and 10.0.32.0/24 has 251",
            "write a wider network.ranges.network",
            "",
        ),
    ),
    "a file system that is gone": (
        "file-system",
        "existing",
        _gone("file system"),
        ("stops up", "does not exist", "write the id of yours as storage.shared.existing.id", ""),
    ),
    "a file system that failed": (
        "file-system",
        "existing",
        _deep("file system", "properties", "provisioningState", value="Failed"),
        ("stops up", "Failed", "wait until it is ready, or repair it", ""),
    ),
    "a reservation group that is gone": (
        "reservation",
        "reserved",
        _gone("reservation group"),
        (
            "stops up",
            "does not exist",
            "write the id of yours as placement.id",
            "az capacity reservation group list",
        ),
    ),
    "a reservation group elsewhere": (
        "reservation",
        "reserved",
        _replaced("reservation group", group("West US")),
        ("stops up", "in West US", "use one in eastus, or change gpucluster:region", ""),
    ),
    "a reservation of another machine": (
        "reservation",
        "reserved",
        _replaced("reservations", [reservation(machine=NC)]),
        ("stops up", f"holds {NC}", f"reserve 5 x {ND} in it", ""),
    ),
    "a reservation in another zone": (
        "reservation",
        "reserved",
        _replaced("reservations", [reservation(zones="2")]),
        ("stops up", f"holds {ND} in zone 2", 'write gpucluster:zone: "2"', ""),
    ),
    "a reservation that others use": (
        "reservation",
        "reserved",
        _replaced("reservation group", group(used={"MC_another": 2})),
        (
            "stops up",
            "3 left: 2 of 5 in use",
            "reserve 2 more, or set training.nodes to fewer",
            "",
        ),
    ),
    "a block that has ended": (
        "reservation",
        "reserved",
        _replaced("reservations", [reservation(start="2025-11-01", end="2025-11-15T11:30:00Z")]),
        (
            "stops up",
            "ended 2025-11-15 11:30 UTC",
            "wait until it starts (purchase.active: false), or buy another block",
            "",
        ),
    ),
    "a block that has not started": (
        "reservation",
        "reserved",
        _replaced("reservations", [reservation(start="2999-01-01", end="2999-01-15")]),
        (
            "stops up",
            "starts 2999-01-01 00:00 UTC",
            "wait until it starts (purchase.active: false), or buy another block",
            "",
        ),
    ),
    "a network that is gone": (
        "network",
        "existing",
        _gone("network"),
        ("stops up", "does not exist", "write the id of yours", "az network vnet list --output table"),
    ),
    "a network elsewhere": (
        "network",
        "existing",
        _deep("network", "location", value="westus3"),
        ("stops up", "in westus3", "use one in eastus, or change gpucluster:region", ""),
    ),
    "a peer without a gateway": (
        "network",
        "peered",
        _deep("network", "properties", "subnets", value=[{"name": "office"}]),
        (
            "stops up",
            "in eastus, 10.20.0.0/16, no gateway",
            "create its gateway first, or remove access.peer_gateway",
            "",
        ),
    ),
    "a subnet that is gone": (
        "subnet-room",
        "existing",
        _gone("subnet"),
        (
            "can't tell",
            "the subnet nodes does not exist in office",
            "create it, or write the id of another",
            "",
        ),
    ),
    "a subnet outside of the range": (
        "subnet-room",
        "existing",
        _deep("subnet", "/nodes", value=subnet("10.30.0.0/24")),
        ("stops up", "it has 10.30.0.0/24", "write the range around the subnet as network.existing.cidr", ""),
    ),
    "a subnet that is full": (
        "subnet-room",
        "existing",
        _deep("subnet", "/nodes", value=subnet("10.20.0.0/28", used=3)),
        ("stops up", "8 left of 10.20.0.0/28", "use a wider subnet, or fewer nodes", ""),
    ),
    "a subnet without a gateway": (
        "subnet-egress",
        "existing",
        _deep("subnet", "/nodes", "properties", "natGateway", value=None),
        (
            "stops up",
            "no NAT gateway",
            "attach a NAT gateway to it, or write network.existing.egress: routes",
            "az network vnet subnet update --nat-gateway GATEWAY",
        ),
    ),
    "a route table that sends nothing to a firewall": (
        "subnet-egress",
        "routed",
        _deep("routes", "properties", "routes", value=[]),
        ("stops up", "office has no route for 0.0.0.0/0", "add one to your firewall or gateway", ""),
    ),
    "routes to the internet": (
        "subnet-egress",
        "routed",
        _deep("routes", "properties", "routes", 0, "properties", "nextHopType", value="Internet"),
        (
            "stops up",
            "office sends 0.0.0.0/0 to Internet",
            "AKS needs a firewall or gateway there, not this kind",
            "",
        ),
    ),
    "a subnet without the endpoint of storage": (
        "subnet-endpoint",
        "existing",
        _deep("subnet", "/nodes", "properties", "serviceEndpoints", value=[{"service": "Microsoft.Sql"}]),
        (
            "warns",
            "Microsoft.Sql",
            "add it: it is free",
            "az network vnet subnet update --resource-group office --vnet-name office --name nodes "
            "--service-endpoints Microsoft.Sql Microsoft.Storage",
        ),
    ),
    "a gateway that the API does not admit": (
        "egress-address",
        "existing",
        _deep("address", "properties", "ipAddress", value="198.51.100.9"),
        ("stops up", "198.51.100.9", "add 198.51.100.9/32 to access.cidrs", ""),
    ),
    "a firewall whose address is unknown": (
        "egress-address",
        "routed",
        lambda _: None,
        ("can't tell", "a firewall's address on the internet is not in its routes", "compare it yourself", ""),
    ),
    "a container that is gone": (
        "container",
        "linked",
        _deep("resource", value={"/corpora": {"location": "eastus", "properties": {}}}),
        (
            "stops up",
            "no such container",
            "create it, or write another",
            "az storage container create --account-name corpora --name text --auth-mode login",
        ),
    ),
    "an account without keys": (
        "container",
        "linked",
        _deep("resource", "/corpora", "properties", "allowSharedKeyAccess", value=False),
        (
            "stops up",
            "keys are disabled",
            "Azure Managed Lustre needs keys: allow them, or use another account",
            "az storage account update --name corpora --allow-shared-key-access true",
        ),
    ),
    "an account that is gone": (
        "container",
        "linked",
        _replaced("resource", {"/none": {}}),
        ("stops up", "no account corpora", "write its resource group as gpucluster:bucketGroup", ""),
    ),
    "a subnet of the file system that is too small": (
        "lustre-room",
        "own-lustre",
        _deep("subnet", "/storage", value=subnet("10.20.32.0/26")),
        (
            "stops up",
            "10.20.32.0/26, 0 addresses in use; its ports are not asked",
            "use a subnet of /24 or wider",
            "",
        ),
    ),
    "a subnet of the file system with other machines": (
        "lustre-room",
        "own-lustre",
        _deep("subnet", "/storage", value=subnet("10.20.32.0/24", used=7)),
        (
            "stops up",
            "10.20.32.0/24, 7 addresses in use; its ports are not asked",
            "use a subnet with no other machines: a file system of this stack is fine",
            "",
        ),
    ),
}
IN: Mapping[str, Mapping[str, Any]] = {
    **PLANS,
    "own-lustre": {
        "network": {
            "existing": {
                **{key: value.replace(OTHER, SUBSCRIPTION) for key, value in EXISTING["network"]["existing"].items()}
            }
        }
    },
}
