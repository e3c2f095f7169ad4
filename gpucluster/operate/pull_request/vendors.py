"""Refusals by the vendors' schemas on a plan, as advice: a missing or failing judge does not block a pull request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.operate.judges.bench import judged, missing
from gpucluster.operate.judges.report import Remark


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """judge: its name."""

    resource: Resource
    judge: str
    remark: Remark


@dataclass(frozen=True, kw_only=True)
class Vendors:
    """unheard: unjudged resources, and the packages to install."""

    refusals: Sequence[Refusal] = ()
    unheard: Sequence[str] = ()


def heard(resources: Resources) -> Vendors:
    """The verdicts of the installed judges. A plan is untrusted: if it makes a judge fail, the failure is reported."""
    unheard = [f"{package}: {command}" for package, command in missing(resources).items()]
    try:
        verdicts = judged(resources, installed=True)
    except Exception as error:
        return Vendors(unheard=[*unheard, f"the judges failed: {type(error).__name__}"])
    refusals = [
        Refusal(resource=verdict.resource, judge=verdict.judge, remark=remark)
        for verdict in verdicts
        for remark in verdict.refusals
    ]
    return Vendors(refusals=refusals, unheard=unheard)
