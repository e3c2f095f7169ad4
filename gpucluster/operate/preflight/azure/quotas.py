"""Quotas and their present use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.preflight.answers import Answer, Asker, fine, refused, unknown
from gpucluster.operate.preflight.azure.own_use import SPOT, own_file_systems, use_by_stack


def quota_askers(clients: Clients, plan: AzureClusterPlan) -> Mapping[str, Asker]:
    """Each lists the quotas of a region in one request. plan: of the stack, which may be up."""

    def ask(asked: Sequence[Question]) -> list[Answer]:
        stacks = dict(use_by_stack(clients, plan, asked[0].place))
        own = stacks.pop(plan.stack, Counter[str]())
        found = _asked(asked, clients.compute.usage.list, clients.subscription, "Microsoft.Compute", own)
        return [_with_stacks(one, stacks) for one in found]

    def file_systems(asked: Sequence[Question]) -> list[Answer]:
        count = own_file_systems(clients, plan, asked[0].place)
        own = {one.subject.lower(): count for one in asked}
        return _asked(asked, clients.lustre.asc_usages.list, clients.subscription, "", own)

    return {
        "quota": ask,
        "file-systems": file_systems,
        "addresses": lambda asked: _asked(
            asked, clients.network.usages.list, clients.subscription, "Microsoft.Network"
        ),
    }


def _asked(
    asked: Sequence[Question],
    usages: Callable[[str], Iterable[Any]],
    subscription: str,
    provider: str,
    own: Mapping[str, int] = MappingProxyType({}),
) -> list[Answer]:
    """provider: that raises its quotas on request; empty if only Microsoft's support does. own: use by the stack."""
    [region] = {one.place for one in asked}
    found = {(one.name.value or "").lower(): one for one in usages(region) if one.name is not None}
    return [
        _answer(one, _found(one.subject, found), subscription, provider, own.get(one.subject.lower(), 0))
        for one in asked
    ]


def _found(name: str, usages: Mapping[str, Any]) -> Any:
    """Azure lists the quota of addresses as StandardSkuPublicIpAddresses or with IPv4 before it."""
    return usages.get(name.lower()) or usages.get(f"ipv4{name.lower()}")


def _answer(question: Question, usage: Any, subscription: str, provider: str, own: int) -> Answer:
    if usage is None or usage.limit is None or usage.current_value is None:
        return unknown(question, f"{question.place} lists no quota of this name")
    name, limit, used = str(usage.name.value), int(usage.limit), int(usage.current_value)
    needed = int(question.needed or 0)
    who = "this stack or its reservation" if question.about == "quota" else "this stack"
    left, by = limit - used + own, f", {own:,} by {who}" if own else ""
    found = f"{max(0, left):,} left: {used:,} of {limit:,} in use{by}"
    scenario: dict[str, Any] = {}
    if question.about == "quota":
        scenario = {
            "quotas": [
                {
                    "cloud": "azure",
                    "name": question.subject,
                    "region": question.place,
                    "limit": limit,
                    "usage": used - own,
                }
            ]
        }
    if needed <= left:
        return fine(question, found, scenario=scenario)
    asked = used - own + needed
    if not provider:
        fix = f"ask Microsoft's support for a limit of {asked:,} or more of {name} in {question.place}"
        return refused(question, found, fix, scenario=scenario)
    fix = f"ask for a limit of {asked:,} or more of {name} in {question.place}"
    return refused(
        question, found, fix, _command(name, asked, question.place, subscription, provider), scenario=scenario
    )


def _with_stacks(answer: Answer, stacks: Mapping[str, Counter[str]]) -> Answer:
    """stacks: other ones, which the sandbox may have too."""
    name = answer.question.subject.lower()
    used = {stack: found[name] for stack, found in stacks.items() if found[name]}
    rows = [{**row, "stacks": used} for row in answer.scenario.get("quotas", ())]
    return replace(answer, scenario={"quotas": rows}) if rows and used else answer


def _command(name: str, limit: int, region: str, subscription: str, provider: str) -> str:
    """Of the CLI's extension `quota`."""
    kinds = {"Microsoft.Compute": "lowPriority" if name == SPOT else "dedicated"}
    kind = f" --resource-type {kinds[provider]}" if provider in kinds else ""
    scope = f"/subscriptions/{subscription}/providers/{provider}/locations/{region}"
    return f'az quota update --resource-name "{name}" --scope {scope} --limit-object value={limit}{kind}'
