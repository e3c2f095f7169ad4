"""Every question has an answer yes and answers no, each with what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.azure import subscription as account
from gpucluster.operate.preflight.answers import Account, Answer, Verdict
from gpucluster.operate.preflight.asking import ask
from gpucluster.operate.preflight.azure.account import open_account
from tests.components.azure.planning.test_plan import SUBSCRIPTION, here
from tests.gpucluster.operate.preflight.azure.lacks import IN, NO, PLANS, role
from tests.gpucluster.operate.preflight.azure.resource_manager import Fault, ResourceManager
from tests.gpucluster.operate.preflight.azure.subscription import (
    CPU,
    HERE,
    NC,
    ND,
    OTHER,
    RESERVED,
    Login,
    answers,
    group,
    plan,
    questions,
    reservation,
    sku,
    usage,
)


@pytest.fixture
def opened(manager: ResourceManager, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Account]:
    assert manager.url
    monkeypatch.setattr(account, "login", lambda *_: Login())
    return lambda: open_account(plan(), here())


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
    role("reader")(manager.answers)
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
    second = {**cluster, "name": "second", "tags": {"pulumi-stack": "second"}}
    theirs = {**cluster, "name": "theirs", "tags": {"pulumi-stack": "azure-trial"}}
    elsewhere = {**cluster, "location": "westus"}
    manager.answers["clusters"] = [{**cluster, "name": "another"}, cluster, elsewhere, second, theirs]
    [own] = ask(opened(), asked)
    assert (str(others.verdict), others.found) == ("stops up", "0 left: 576 of 576 in use")
    assert (str(own.verdict), own.found) == (
        "fine",
        "480 left: 576 of 576 in use, 480 by this stack or its reservation",
    )
    [row] = own.scenario["quotas"]
    assert (row["usage"], row["stacks"]) == (96, {"second": 480})


NODES = "MC_trial_trial-azure-trial_eastus"


def _cluster(of: AzureClusterPlan, nodes: int) -> dict[str, Any]:
    """The stack's, as AKS lists it."""
    pools = [{"name": "training", "vmSize": ND, "count": nodes}]
    found = {"agentPoolProfiles": pools, "nodeResourceGroup": NODES}
    return {"name": of.cluster_name, "location": "eastus", "properties": found}


@pytest.mark.parametrize(("nodes", "held", "others"), [(5, 5, 0), (4, 5, 0), (4, 6, 1), (4, 5, 1)])
def test_what_is_reserved_for_a_stack_is_not_needed_again(
    nodes: int,
    held: int,
    others: int,
    manager: ResourceManager,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Five nodes are planned. A reservation uses its quota before any machine runs; then the machines in it are the
    same vCPUs, and those of the stack are in nobody's way.
    """
    monkeypatch.setattr(account, "login", lambda *_: Login())
    reserved, vcpus = plan(**RESERVED), 96
    asked = [*_asked("quota standardNDSH100v5Family", "reserved"), *questions("reservation", **RESERVED)]
    manager.answers["usages"][2] = usage("standardNDSH100v5Family", held * vcpus, held * vcpus)
    manager.answers["reservations"] = [reservation(count=held)]
    before = ask(open_account(reserved, here()), asked)
    assert [(str(one.verdict), one.found) for one in before] == [
        ("fine", f"480 left: {held * vcpus} of {held * vcpus} in use, 480 by this stack or its reservation"),
        ("fine", f"{held} left: 0 of {held} in use"),
    ]
    manager.answers["clusters"] = [_cluster(reserved, nodes)]
    manager.answers["reservation group"] = group(used={NODES: nodes, "MC_another": others})
    quota, free = ask(open_account(reserved, here()), asked)
    assert (str(quota.verdict), quota.found) == (str(before[0].verdict), before[0].found)
    assert (str(free.verdict), free.found) == (
        "fine" if held - others >= 5 else "stops up",
        f"{held - others} left: {nodes + others} of {held} in use, {nodes} by this stack",
    )
    assert free.fix == ("" if held - others >= 5 else "reserve 1 more, or set training.nodes to fewer")


@pytest.mark.parametrize(
    ("stack", "verdict", "said"),
    [
        ("azure-trial", "fine", "1 left: 4 of 4 in use, 1 by this stack"),
        ("another", "stops up", "0 left: 4 of 4 in use"),
    ],
)
def test_the_file_system_of_a_stack_that_is_up_is_not_in_its_own_way(
    stack: str, verdict: str, said: str, opened: Callable[[], Account], manager: ResourceManager
) -> None:
    manager.answers["file system usages"][1]["currentValue"] = 4
    manager.answers["file systems"] = [
        {"name": "shared", "location": "eastus", "tags": {"pulumi-stack": stack}},
        {"name": "shared", "location": "westus", "tags": {"pulumi-stack": "azure-trial"}},
    ]
    [found] = ask(opened(), questions("file-systems"))
    assert (str(found.verdict), found.found) == (verdict, said)
