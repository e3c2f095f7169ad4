"""Quotas of the project, with their present use.

Older quotas are in Compute Engine's own answers; those by family of machines or GPUs, and those of other services, in
Service Usage, and their use in Cloud Monitoring, which measures it some times a day.

Sources: Cloud Monitoring documentation, "Google Cloud metrics" (compute.googleapis.com/quota/*, which have the label
`location`; serviceruntime.googleapis.com/quota/allocation/usage); Service Usage API v1beta1, discovery document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final, TypeVar

from pydantic import Field

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.clients.gcp.client import Client, Page, Reading, each
from gpucluster.operate.clients.gcp.errors import explained
from gpucluster.operate.preflight.answers import Answer, fine, refused, unknown
from gpucluster.operate.preflight.gcp.own_use import Own

_COMPUTE: Final = "compute.googleapis.com"
_MOST: Final = 2**62
"""From here on a limit is none: Google writes -1 or the largest number of 64 bits."""


_Read = TypeVar("_Read")


class _Quota(Reading):
    metric: str = ""
    limit: float = 0
    usage: float = 0


class _Quotas(Reading):
    quotas: Sequence[_Quota] = ()


class _Bucket(Reading):
    effective_limit: int | None = None
    dimensions: Mapping[str, str] = Field(default_factory=dict[str, str])


class _Limit(Reading):
    unit: str = ""
    quota_buckets: Sequence[_Bucket] = ()


class _Metric(Reading):
    metric: str = ""
    consumer_quota_limits: Sequence[_Limit] = ()


class _Metrics(Page):
    metrics: Sequence[_Metric] = ()


class _Value(Reading):
    int64_value: int = Field(default=0, alias="int64Value")


class _Point(Reading):
    value: _Value


class _Series(Reading):
    points: Sequence[_Point] = ()


class _AllSeries(Page):
    time_series: Sequence[_Series] = ()


@dataclass(frozen=True, kw_only=True)
class _Found:
    """limit: None if the account has no such quota. used: None if it cannot be read, for the reason `why`."""

    limit: int | None
    used: int | None = 0
    why: CannotAsk | None = None


def ask_quotas(client: Client, own: Own, questions: Sequence[Question]) -> list[Answer]:
    """Whether the limit minus the present use of others is enough."""
    listed = [one for one in questions if one.details["service"] == _COMPUTE and not one.details.get("family")]
    known, why = _tried(lambda: _known(client, listed))

    def answer(question: Question) -> Answer | None:
        found = (known or {}).get((question.place, question.details["metric"].upper()))
        reason = why if question in listed else None
        if found is None and reason is None:
            found, reason = _tried(partial(_of_service, client, question))
        if reason is not None:
            return unknown(question, reason.reason, reason.fix, reason.command)
        return None if found is None else _answer(question, found, client, own)

    return [one for one in each(answer, questions) if one is not None]


def _tried(asked: Callable[[], _Read]) -> tuple[_Read | None, CannotAsk | None]:
    """What was read, or why it could not be: one quota that cannot be read must not hide the others."""
    try:
        return asked(), None
    except CannotAsk as error:
        return None, error
    except Exception as error:
        why = explained(error)
        if why is None:
            raise
        return None, why


def _known(client: Client, questions: Sequence[Question]) -> dict[tuple[str, str], _Found]:
    """Compute Engine's own, by place and name: a region and the project have some of the same name."""
    pages: dict[str, _Quotas] = {}
    for place in {one.place for one in questions}:
        where = {"project": client.project, **({"region": place} if place else {})}
        pages[place] = client.ask("compute:v1", "regions.get" if place else "projects.get", _Quotas, **where)
    return {
        (place, quota.metric): _Found(limit=int(quota.limit), used=int(quota.usage))
        for place, page in pages.items()
        for quota in page.quotas
    }


def _of_service(client: Client, question: Question) -> _Found:
    service, metric = question.details["service"], question.details["metric"]
    parent = f"projects/{client.project}/services/{service}"
    wanted = _dimensions(question)
    if metric:
        name = f"{parent}/consumerQuotaMetrics/{service}%2F{metric}"
        found = client.found(_USAGE, "services.consumerQuotaMetrics.get", _Metric, name=name, view="FULL")
        return _with_use(client, question, metric, _limit([found] if found else [], wanted))
    pages = client.pages(_USAGE, "services.consumerQuotaMetrics.list", _Metrics, parent=parent, view="FULL")
    return _of_capacity(client, question, [one for page in pages for one in page.metrics], wanted)


_USAGE: Final = "serviceusage:v1beta1"


def _of_capacity(client: Client, question: Question, metrics: Sequence[_Metric], wanted: Mapping[str, str]) -> _Found:
    """No source has the names of the quotas of Managed Lustre, except that of its dynamic tier: only one other of
    capacity is an answer.
    """
    names = {one.metric: one.metric.lower().replace("_", "") for one in metrics}
    fitting = [one for one in metrics if "capacity" in names[one.metric] and "dynamic" not in names[one.metric]]
    if len(fitting) != 1:
        listed = ", ".join(one.metric for one in fitting) or "none"
        raise CannotAsk(
            f"quotas of its capacity: {listed}",
            f"compare them with {question.needed:,} {question.unit} in {question.place}",
            f"gcloud beta quotas info list --service={question.details['service']} --project={client.project}",
        )
    [one] = fitting
    return _with_use(client, question, one.metric.rpartition("/")[2], _limit([one], wanted))


def _dimensions(question: Question) -> dict[str, str]:
    """Of the bucket that counts: the region or zone, and the family."""
    place, family = question.place, question.details.get("family", "")
    zonal = place.count("-") > 1
    found = {"region": place.rpartition("-")[0] if zonal else place, **({"zone": place} if zonal else {})}
    name, _, value = family.partition("=")
    return {**found, **({name: value} if name else {})}


def _limit(metrics: Sequence[_Metric], wanted: Mapping[str, str]) -> int | None:
    """That of the bucket with the most dimensions, all of which are wanted. A bucket of all families that has no limit
    is no answer: the family may have another name.
    """
    fitting = [
        (bucket.effective_limit, bucket.dimensions)
        for metric in metrics
        for limit in metric.consumer_quota_limits
        for bucket in limit.quota_buckets
        if bucket.dimensions.items() <= wanted.items() and bucket.effective_limit is not None
    ]
    if not fitting:
        return None
    found, dimensions = max(fitting, key=lambda bucket: len(bucket[1]))
    of_family = wanted.keys() - dimensions.keys() <= {"region", "zone"}
    return found if of_family or not _endless(found) else None


def _endless(limit: int) -> bool:
    return limit < 0 or limit >= _MOST


def _with_use(client: Client, question: Question, metric: str, limit: int | None) -> _Found:
    family, _, value = question.details.get("family", "").partition("=")
    own = f"{question.details['service']}/{metric}"
    parts = [f'resource.labels.location="{question.place}"']
    if family:
        parts += [f'metric.type="{_COMPUTE}/quota/{metric}/usage"', f'metric.labels.{family}="{value}"']
    else:
        parts += [
            'metric.type="serviceruntime.googleapis.com/quota/allocation/usage"',
            f'metric.labels.quota_metric="{own}"',
        ]
    pages, why = _tried(partial(_measured, client, " AND ".join(parts)))
    if pages is None:
        return _Found(limit=limit, used=None, why=why)
    newest = [series.points[0].value.int64_value for page in pages for series in page.time_series if series.points]
    return _Found(limit=limit, used=max(newest, default=0))


def _measured(client: Client, what: str) -> list[_AllSeries]:
    """Uses of a day. what: a filter of Cloud Monitoring."""
    now = datetime.now(UTC)
    return list(
        client.pages(
            "monitoring:v3",
            "projects.timeSeries.list",
            _AllSeries,
            name=f"projects/{client.project}",
            filter=what,
            interval_startTime=(now - timedelta(days=1)).isoformat(),
            interval_endTime=now.isoformat(),
            view="FULL",
        )
    )


def _answer(question: Question, found: _Found, client: Client, own: Own) -> Answer:
    needed = int(question.needed or 0)
    limit = found.limit
    if limit is None:
        return unknown(question, "the project lists no such quota", *_ask_for(question, needed, client.project))
    if _endless(limit):
        return fine(question, "no limit")
    used = found.used or 0
    seen = f"{limit:,} {question.unit}" + (f", {used:,} in use" if found.used is not None else "")
    by_stack, why = _tried(lambda: own.used(question)) if used else (0, None)
    if by_stack:
        seen, used = f"{seen}, of it {by_stack:,} by this stack", max(0, used - by_stack)
    stacks, _ = _tried(lambda: own.by_others(question)) if used else ({}, None)
    scenario = _scenario(question, limit, used, stacks or {})
    if why is not None and needed + used > limit >= needed:
        return unknown(question, f"{seen}, what of it by this stack is unknown: {why.reason}", why.fix, why.command)
    if needed + used > limit:
        fix, command = _ask_for(question, needed + used, client.project)
        return refused(question, seen, fix, command, scenario=scenario)
    if found.why is not None:
        return unknown(question, f"{seen}; their use: {found.why.reason}", found.why.fix, found.why.command)
    return fine(question, seen, scenario=scenario)


def _ask_for(question: Question, amount: int, project: str) -> tuple[str, str]:
    """The advice and the command. Source: Google Cloud CLI reference, beta quotas preferences create."""
    service, metric, quota = (question.details[name] for name in ("service", "metric", "id"))
    fix = f"ask for {amount:,} or more"
    if not question.decides:
        preemptible = metric.startswith("preemptible_")
        fix += ", unless " + ("standard quotas count here" if preemptible else "the reservation is counted already")
    where = f"--project={project} --service={service}"
    if not quota:
        named = f" --filter=metric={service}/{metric}" if metric else ""
        return f"{fix}; the command lists the quota's id", f"gcloud beta quotas info list {where}{named}"
    parts = [f"region={question.place}" if question.place else "", question.details.get("family", "")]
    dimensions = ",".join(part for part in parts if part)
    command = f"gcloud beta quotas preferences create {where} --quota-id={quota} --preferred-value={amount}"
    return fix, command + (f" --dimensions={dimensions}" if dimensions else "")


def _scenario(
    question: Question, limit: int, used: int, stacks: Mapping[str, int]
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    name = question.details.get("sandbox", "")
    if not name:
        return {}
    row = {"cloud": "gcp", "name": name, "region": question.place or "global", "limit": limit, "usage": used}
    return {"quotas": [{**row, **({"stacks": stacks} if stacks else {})}]}
