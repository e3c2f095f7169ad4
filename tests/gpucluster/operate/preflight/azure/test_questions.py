"""Every question has an answer yes and answers no, each with what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from gpucluster.core.program.questions import Question
from gpucluster.operate.preflight.answers import Account, Answer, Verdict
from gpucluster.operate.preflight.asking import ask
from gpucluster.operate.preflight.azure import account
from gpucluster.operate.preflight.azure.account import open_account
from tests.components.azure.planning.test_plan import SUBSCRIPTION, here
from tests.gpucluster.operate.preflight.azure.resource_manager import Fault, ResourceManager
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
    Login,
    answers,
    group,
    permission,
    plan,
    questions,
    reservation,
    sku,
    subnet,
    usage,
)

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def opened(manager: ResourceManager, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Account]:
    assert manager.url
    monkeypatch.setattr(account, "login", lambda *_: Login())
    return lambda: open_account(plan(), here())


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
# The SDK has no way to ask these.
_NEVER = {"aks-machine", "principal"}


@pytest.mark.parametrize("name", PLANS)
def test_a_subscription_that_has_everything_answers_yes(name: str, opened: Callable[[], Account]) -> None:
    asked = questions(**PLANS[name])
    found = {(one.question.about, one.question.subject): one for one in ask(opened(), asked)}
    unsure = _NEVER | ({"egress-address"} if name == "routed" else set())
    assert {
        key: (str(one.verdict), one.found)
        for key, one in found.items()
        if (one.verdict is not Verdict.FINE) != (one.question.about in unsure)
    } == {}


def test_every_kind_of_question_is_in_one_of_these_plans_and_has_who_answers_it(
    opened: Callable[[], Account],
) -> None:
    kinds = {one.about for changes in PLANS.values() for one in questions(**changes)}
    assert kinds == {*opened().askers}
    assert {case[0].partition(" ")[0] for case in NO.values()} == kinds - _NEVER


def test_each_list_is_read_once(opened: Callable[[], Account], manager: ResourceManager) -> None:
    ask(opened(), questions())
    counted = Counter(name for name, _ in manager.requests)
    assert {name: count for name, count in counted.items() if count > 1} == {}


def test_lists_are_read_to_their_last_page(opened: Callable[[], Account], manager: ResourceManager) -> None:
    manager.page = 1
    found = ask(opened(), questions())
    assert {one.question.about for one in found if one.verdict is not Verdict.FINE} == {"aks-machine"}
    assert sum(name == "providers" for name, _ in manager.requests) == len(answers()["providers"])


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


def _role(role: str, **more: Any) -> Change:
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
            "ask Microsoft's support for a limit of 5 or more of AmlFilesystem in eastus; if this stack is up, its "
            "own is among those in use",
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
        _role("contributor"),
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
        _role("owner", condition="@Request[...]"),
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
        _replaced("reservation group", group(used=2)),
        (
            "stops up",
            "3 left: 2 of 5 in use",
            "reserve 2 more, or set training.nodes to fewer; if this stack is up, its own are among those in use",
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


def _asked(what: str, name: str) -> list[Question]:
    about, _, subject = what.partition(" ")
    found = [one for one in questions(about, **IN[name]) if not subject or one.subject == subject]
    return found[:1]


@pytest.mark.parametrize("name", NO)
def test_an_answer_no_says_what_to_do(name: str, opened: Callable[[], Account], manager: ResourceManager) -> None:
    what, of, change, expected = NO[name]
    change(manager.answers)
    [found] = ask(opened(), _asked(what, of))
    assert (str(found.verdict), found.found, found.fix, found.command) == expected


def _scenario(found: Sequence[Answer]) -> list[Mapping[str, Any]]:
    return [dict(one.scenario) for one in found if one.scenario]


def test_an_answer_is_a_scenario_of_the_sandbox_with_no_id_of_the_account(
    opened: Callable[[], Account], manager: ResourceManager
) -> None:
    manager.answers["skus"] = [sku(ND, "2"), sku(NC), sku(CPU)]
    manager.answers["feature"]["properties"]["state"] = "NotRegistered"
    asked = [
        *_asked("feature", "trial"),
        *_asked(f"machine {ND}", "trial"),
        *_asked("quota standardNDSH100v5Family", "trial"),
    ]
    feature = {"providerNamespace": "Microsoft.ContainerService", "featureName": "AKSInfinibandSupport"}
    type_ = "azure-native:features:SubscriptionFeatureRegistration"
    assert _scenario(ask(opened(), asked)) == [
        {
            "exists": [
                {
                    "provider": {"subscriptionId": "00000000-0000-0000-0000-000000000000"},
                    "resources": [{"type": type_, "inputs": {**feature, "properties": {"state": "NotRegistered"}}}],
                }
            ]
        },
        {"capacity": [{"cloud": "azure", "region": "eastus", "zone": "1", "machine": ND, "available": 0}]},
        {
            "quotas": [
                {"cloud": "azure", "name": "standardNDSH100v5Family", "region": "eastus", "limit": 576, "usage": 96}
            ]
        },
    ]


def test_a_reader_of_all_resources_lacks_what_creates_them(
    opened: Callable[[], Account], manager: ResourceManager
) -> None:
    _role("reader")(manager.answers)
    [_, creating] = ask(opened(), questions("rights"))
    assert (str(creating.verdict), creating.found.partition(": ")[2].partition(",")[0]) == (
        "stops up",
        "Microsoft.AlertsManagement/prometheusRuleGroups/delete",
    )


def test_a_role_of_a_group_and_one_above_the_subscription_count(
    opened: Callable[[], Account], manager: ResourceManager
) -> None:
    """Azure answers with both for this filter."""
    ask(opened(), questions("rights"))
    assert [path for name, path in manager.requests if name == "assignments"] == [
        f"{HERE}/providers/Microsoft.Authorization/roleAssignments"
    ]


def test_a_group_of_another_subscription_must_be_shared(
    opened: Callable[[], Account], manager: ResourceManager
) -> None:
    reserved: dict[str, Any] = {**RESERVED["placement"], "id": RESERVED["placement"]["id"].replace(SUBSCRIPTION, OTHER)}
    asked = questions("reservation", placement=reserved)
    [alone] = ask(opened(), asked)
    manager.answers["reservation group"] = group(shared=SUBSCRIPTION)
    [shared] = ask(opened(), asked)
    assert (str(alone.verdict), alone.found) == ("stops up", f"of subscription {OTHER}, not shared with this one")
    assert str(shared.verdict) == "fine"


def test_a_fault_of_one_list_leaves_the_other_answers(opened: Callable[[], Account], manager: ResourceManager) -> None:
    manager.faults["usages"] = Fault(403, "AuthorizationFailed", "The client has no right")
    found = ask(opened(), questions())
    assert {one.question.about for one in found if one.verdict is not Verdict.FINE} == {"quota", "aks-machine"}


def test_a_stack_that_is_up_is_not_in_its_own_way(opened: Callable[[], Account], manager: ResourceManager) -> None:
    """Its machines are in use, and those of others beside it count as before."""
    manager.answers["usages"][2] = usage("standardNDSH100v5Family", 576, 576)
    asked = _asked("quota standardNDSH100v5Family", "trial")
    [others] = ask(opened(), asked)
    pools = [
        {"name": "training", "vmSize": ND, "count": 5},
        {"name": "dev", "vmSize": NC, "count": 3, "scaleSetPriority": "Spot"},
        {"name": "odd", "vmSize": "Standard_B2s", "count": 1},
    ]
    cluster = {"name": plan().cluster_name, "location": "eastus", "properties": {"agentPoolProfiles": pools}}
    manager.answers["clusters"] = [{**cluster, "name": "another"}, cluster, {**cluster, "location": "westus"}]
    [own] = ask(opened(), asked)
    assert (str(others.verdict), others.found) == ("stops up", "0 left: 576 of 576 in use")
    assert (str(own.verdict), own.found) == ("fine", "480 left: 576 of 576 in use, 480 by this stack")
    assert own.scenario["quotas"][0]["usage"] == 96
