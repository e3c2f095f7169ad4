"""Quotas: the limit, how much of it is in use, and how much is left for the stack.

Sources: Service Quotas API (UsageMetric of GetServiceQuota); Amazon CloudWatch user guide, "AWS usage metrics"; Amazon
EC2 user guide, capacity-reservation-sharing, "Instance limits".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from gpucluster.components.aws.planning.quotas import BLOCK_INSTANCES
from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.clients.aws.errors import code_of
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import Answer, Verdict, fine, refused, unknown
from gpucluster.operate.preflight.aws.own import Own
from gpucluster.operate.preflight.aws.requests import attempted

_HOURS: Final = 3
"""How far back a usage metric is read: it has a value every minute while there is any use."""
_CODE: Final = "L-"
_OPEN: Final = frozenset({"PENDING", "CASE_OPENED"})


@dataclass(frozen=True, kw_only=True)
class _Use:
    """everyone: of the quota, now. own: of it the stack's, which a second `up` doesn't need again. stacks: of it, by
    other stacks.
    """

    everyone: int
    own: int = 0
    stacks: Mapping[str, int] = field(default_factory=dict[str, int])


def ask_quota(caller: Caller, own: Own, question: Question) -> Answer:
    """Whether limit minus use of others is what the stack needs. What a reservation holds is counted already."""
    if not question.subject.startswith(_CODE):
        raise CannotAsk("no source gives the code of this quota", "look for it in Service Quotas")
    quota = _quota(caller, question)
    limit, needed = math.floor(quota["Value"]), int(question.needed or 0)
    more = needed - int(question.details["reserved"])
    use = (
        _Use(everyone=0) if question.subject in _PER_RESOURCE else attempted(lambda: _use(caller, own, question, quota))
    )
    if isinstance(use, CannotAsk):
        if limit < more:
            return _short(caller, question, quota, f"{limit:,} {question.unit}", more)
        return unknown(question, f"limit {limit:,} {question.unit}, use unknown: {use.reason}", use.fix, use.command)
    others = max(use.everyone - use.own, 0)
    found = f"{limit:,} {question.unit}{_used(use)}"
    kept = _scenario(question, limit, others, use.stacks)
    if others + more <= limit:
        return fine(question, found, scenario=kept)
    if others + more - int(question.details["later"]) <= limit:
        later = _short(caller, question, quota, f"{found}: pools that grow later will be short", others + more, kept)
        return Answer(
            question=question,
            verdict=Verdict.WARNS,
            found=later.found,
            fix=later.fix,
            command=later.command,
            scenario=kept,
        )
    return _short(caller, question, quota, found, others + more, kept)


def _used(use: _Use) -> str:
    if not use.everyone:
        return ", none in use"
    return f", {use.everyone:,} in use" + (f", of it {use.own:,} by this stack" if use.own else "")


def _short(
    caller: Caller,
    question: Question,
    quota: Mapping[str, Any],
    found: str,
    wanted: int,
    scenario: Mapping[str, Any] | None = None,
) -> Answer:
    """wanted: the limit with which `up` passes."""
    service, code = question.details["service"], question.subject
    if not quota.get("Adjustable", True):
        fix = "AWS does not raise this quota: use fewer, or another account"
        return refused(question, found, fix, scenario=scenario or {})
    pending = _pending(caller, service, code)
    if pending:
        found += f"; a request for {pending:,} is open"
    fix = f'ask for {wanted:,} of "{quota.get("QuotaName", question.title)}" ({code}) in {question.place}'
    command = (
        f"aws service-quotas request-service-quota-increase --region {question.place} --service-code {service} "
        f"--quota-code {code} --desired-value {wanted}"
    )
    if pending >= wanted:
        fix, command = "wait until AWS has granted it", ""
    return refused(question, found, fix, command, scenario=scenario or {})


def _quota(caller: Caller, question: Question) -> Mapping[str, Any]:
    """The applied quota; AWS' default where the account has none applied."""
    client, request = caller.client("service-quotas"), _request(question.details["service"], question.subject)
    try:
        return client.get_service_quota(**request)["Quota"]
    except Exception as error:
        if code_of(error) != "NoSuchResourceException":
            raise
    return client.get_aws_default_service_quota(**request)["Quota"]


def _request(service: str, code: str) -> dict[str, str]:
    return {"ServiceCode": service, "QuotaCode": code}


def _pending(caller: Caller, service: str, code: str) -> int:
    """The largest value of an open request; 0 if there is none, or if it can't be asked."""

    def values() -> list[int]:
        client = caller.client("service-quotas")
        found = client.list_requested_service_quota_change_history_by_quota(**_request(service, code))
        return [int(one["DesiredValue"]) for one in found["RequestedQuotas"] if one["Status"] in _OPEN]

    found = attempted(values)
    return 0 if isinstance(found, CannotAsk) else max(found, default=0)


def _use(caller: Caller, own: Own, question: Question, quota: Mapping[str, Any]) -> _Use:
    if count := _COUNTS.get(question.subject):
        return count(caller, own)
    metric = quota.get("UsageMetric")
    if not metric:
        raise CannotAsk("Service Quotas names no metric of its use")
    everyone = _metric(caller, metric)
    types, spot = _MACHINES[question.subject]
    if not everyone:
        return _Use(everyone=0)  # nothing of it is the stack's: its machines need no request
    reserved = question.details["reserved"] != "0"
    return _by_stack(everyone, own.vcpus(types, spot=spot, reserved=reserved), own)


def _by_stack(everyone: int, found: Counter[str], own: Own) -> _Use:
    others = {stack: amount for stack, amount in found.items() if stack not in ("", own.stack)}
    return _Use(everyone=everyone, own=found[own.stack], stacks=others)


def _metric(caller: Caller, metric: Mapping[str, Any]) -> int:
    """The newest value; 0 without any, because use that is 0 is not recorded."""
    end = datetime.now(UTC)
    dimensions = [{"Name": name, "Value": value} for name, value in metric["MetricDimensions"].items()]
    stat = {
        "Metric": {
            "Namespace": metric["MetricNamespace"],
            "MetricName": metric["MetricName"],
            "Dimensions": dimensions,
        },
        "Period": 300,
        "Stat": metric.get("MetricStatisticRecommendation", "Maximum"),
    }
    found = caller.client("cloudwatch").get_metric_data(
        MetricDataQueries=[{"Id": "use", "MetricStat": stat}],
        StartTime=end - timedelta(hours=_HOURS),
        EndTime=end,
        ScanBy="TimestampDescending",
    )
    values: list[float] = found["MetricDataResults"][0]["Values"] if found["MetricDataResults"] else []
    return math.ceil(values[0]) if values else 0


def _networks(caller: Caller, own: Own) -> _Use:
    found = list(caller.pages("ec2", "describe_vpcs", "Vpcs"))
    return _by_stack(len(found), Counter(own.stack_of(one.get("Tags", [])) for one in found), own)


def _addresses(caller: Caller, own: Own) -> _Use:
    found = list(caller.pages("ec2", "describe_addresses", "Addresses"))
    return _by_stack(len(found), Counter(own.stack_of(one.get("Tags", [])) for one in found), own)


def _interfaces(caller: Caller, own: Own) -> _Use:
    found = list(caller.pages("ec2", "describe_network_interfaces", "NetworkInterfaces"))
    own_part = {one["InstanceId"] for one in own.machines()} if found else set[str]()
    attached = (one.get("Attachment", {}).get("InstanceId") for one in found)
    return _Use(everyone=len(found), own=sum(machine in own_part for machine in attached))


def _lustre(deployment: str) -> Callable[[Caller, Own], _Use]:
    def use(caller: Caller, own: Own) -> _Use:
        found = [
            (one["StorageCapacity"], own.stack_of(one.get("Tags", [])) == own.stack)
            for one in caller.pages("fsx", "describe_file_systems", "FileSystems")
            if one.get("LustreConfiguration", {}).get("DeploymentType") == deployment
        ]
        return _Use(everyone=sum(gib for gib, _ in found), own=sum(gib for gib, own_part in found if own_part))

    return use


_COUNTS: Final[Mapping[str, Callable[[Caller, Own], _Use]]] = {
    "L-0263D0A3": _addresses,
    "L-8F1B9C74": _lustre("PERSISTENT_2"),
    "L-C8640C82": _lustre("PERSISTENT_1"),
    "L-DF5E4CA3": _interfaces,
    "L-F678F1CE": _networks,
}
"""Quotas whose use is counted, because no metric has it."""
_MACHINES: Final[Mapping[str, tuple[str, bool]]] = {
    "L-1216C47A": (r"[acdhimrtz]\d", False),
    "L-417A185B": (r"p\d", False),
    "L-C4BD4855": ("p5", True),
}
"""Quota -> the form of its machines' types, and whether it is of spot."""
_PER_RESOURCE: Final = frozenset({"L-BD136F5B"})
"""Quotas of each resource by itself, which the account has no use of."""


def _scenario(question: Question, limit: int, usage: int, stacks: Mapping[str, int]) -> Mapping[str, Any]:
    """Quotas that the sandbox knows too."""
    known = {row["name"] for row in read_rows("sandbox/clouds/quotas.csv") if row["cloud"] == "aws"}
    if question.subject not in known:
        return {}
    row = {"cloud": "aws", "name": question.subject, "region": question.place, "limit": limit, "usage": usage}
    return {"quotas": [{**row, **({"stacks": stacks} if stacks else {})}]}


def ask_blocks(caller: Caller, question: Question) -> Answer:
    """The blocks of the spec are bought already, and so within the limit of the account."""
    held = {"active", "scheduled", "payment-pending", "pending"}
    count = sum(
        one["TotalInstanceCount"]
        for one in caller.pages("ec2", "describe_capacity_reservations", "CapacityReservations")
        if one.get("ReservationType") == "capacity-block" and one["State"] in held
    )
    found = f"{count:,} of {BLOCK_INSTANCES} instances in blocks that this login sees"
    if count >= int(question.needed or 0):
        return fine(question, found)
    return refused(question, found, "buy the blocks first; preflight asks for each of them too")
