"""Quotas and their present use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.preflight.answers import Answer, Asker, fine, refused, unknown
from gpucluster.operate.preflight.azure.clients import Clients

_SPOT: Final = "lowPriorityCores"


def quota_askers(clients: Clients) -> Mapping[str, Asker]:
    """Each lists the quotas of a region in one request."""
    return {
        "quota": lambda asked: _asked(asked, clients.compute.usage.list, clients.subscription, "Microsoft.Compute"),
        "file-systems": lambda asked: _asked(asked, clients.lustre.asc_usages.list, clients.subscription, ""),
        "addresses": lambda asked: _asked(
            asked, clients.network.usages.list, clients.subscription, "Microsoft.Network"
        ),
    }


def _asked(
    asked: Sequence[Question], usages: Callable[[str], Iterable[Any]], subscription: str, provider: str
) -> list[Answer]:
    """provider: that raises its quotas on request; empty if only Microsoft's support does."""
    [region] = {one.place for one in asked}
    found = {(one.name.value or "").lower(): one for one in usages(region) if one.name is not None}
    return [_answer(one, _found(one.subject, found), subscription, provider) for one in asked]


def _found(name: str, usages: Mapping[str, Any]) -> Any:
    """Azure lists the quota of addresses as StandardSkuPublicIpAddresses or with IPv4 before it."""
    return usages.get(name.lower()) or usages.get(f"ipv4{name.lower()}")


def _answer(question: Question, usage: Any, subscription: str, provider: str) -> Answer:
    if usage is None or usage.limit is None or usage.current_value is None:
        return unknown(question, f"{question.place} lists no quota of this name")
    name, limit, used = str(usage.name.value), int(usage.limit), int(usage.current_value)
    needed = int(question.needed or 0)
    found = f"{max(0, limit - used):,} left: {used:,} of {limit:,} in use"
    scenario: dict[str, Any] = {}
    if question.about == "quota":
        scenario = {
            "quotas": [
                {"cloud": "azure", "name": question.subject, "region": question.place, "limit": limit, "usage": used}
            ]
        }
    if needed <= limit - used:
        return fine(question, found, scenario=scenario)
    asked = used + needed
    own = "; if this stack is up, its own are among those in use" if used else ""
    if not provider:
        fix = f"ask Microsoft's support for a limit of {asked:,} or more of {name} in {question.place}{own}"
        return refused(question, found, fix, scenario=scenario)
    fix = f"ask for a limit of {asked:,} or more of {name} in {question.place}{own}"
    return refused(
        question, found, fix, _command(name, asked, question.place, subscription, provider), scenario=scenario
    )


def _command(name: str, limit: int, region: str, subscription: str, provider: str) -> str:
    """Of the CLI's extension `quota`."""
    kinds = {"Microsoft.Compute": "lowPriority" if name == _SPOT else "dedicated"}
    kind = f" --resource-type {kinds[provider]}" if provider in kinds else ""
    scope = f"/subscriptions/{subscription}/providers/{provider}/locations/{region}"
    return f'az quota update --resource-name "{name}" --scope {scope} --limit-object value={limit}{kind}'
