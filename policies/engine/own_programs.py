"""Daemons and roles that a cluster of this package needs: packs that trust programs count them, and list none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from gpucluster.core.program.resources import Resource
from gpucluster.policies.engine.exemptions import Grant
from gpucluster.policies.engine.rule import Outcome, in_own_cluster

_RULES: Final = frozenset({"no-privileged-containers", "no-wildcard-rights"})


def only_counted(outcome: Outcome, about: Resource | None, grant: Grant) -> bool:
    """Whether a question or an acceptance of a rule is about one."""
    return grant.trusts and outcome.rule.name in _RULES and about is not None and in_own_cluster(about)


def counted(outcomes: Iterable[Outcome], grant: Grant) -> str:
    """Their number, for users; empty without any."""
    found: Sequence[Resource] = [
        about
        for outcome in outcomes
        for about in (*(one.resource for one in outcome.accepted), *(one.resource for one in outcome.unknown))
        if about is not None and only_counted(outcome, about, grant)
    ]
    number = len({resource.urn for resource in found})
    if not number:
        return ""
    what = "daemon or role" if number == 1 else "daemons and roles"
    return f"{number} {what} of the clusters themselves not evaluated; the pack production lists them"
