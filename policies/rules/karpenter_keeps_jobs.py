"""Karpenter does not move a GPU job to save a node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.core.program.values import at, items, known_items, text
from gpucluster.policies.clouds.kubernetes.pool_labels import KARPENTER
from gpucluster.policies.clouds.label_sets import labels_at
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_POOL: Final = "kubernetes:karpenter.sh/v1:NodePool"
_GPU: Final = "nvidia.com/gpu"
_ONLY_EMPTY: Final = "WhenEmpty"
_NONE: Final = ("0", "0%", 0)
_WORDS: Final = {
    "Underutilized": "underutilized nodes are consolidated (consolidationPolicy WhenEmptyOrUnderutilized)",
    "Drifted": "nodes are replaced when their image or class changes",
}


def check(stack: Stack) -> Iterator[Finding]:
    for pool in stack.resources:
        with_gpus = _for_gpus(pool) if KARPENTER.fullmatch(pool.type) else False
        if with_gpus is False:
            continue
        policy, budgets = text(pool.inputs, "spec", "disruption", "consolidationPolicy"), _budgets(pool)
        reasons = ["Drifted", *(["Underutilized"] if policy not in (_ONLY_EMPTY, UNKNOWN) else [])]
        if budgets is None:
            yield CannotTell(pool, "its disruption budgets are not known yet")
            continue
        open_ = [reason for reason in reasons if not any(_forbids(budget, reason) for budget in budgets)]
        if open_ and with_gpus is UNKNOWN:
            yield CannotTell(pool, "whether its machines have GPUs is not known yet")
        elif open_:
            yield Violation(pool, f"{' and '.join(_WORDS[reason] for reason in open_)}, with jobs on them")
        elif policy is UNKNOWN and not any(_forbids(budget, "Underutilized") for budget in budgets):
            yield CannotTell(pool, "its consolidation policy is not known yet")


def _for_gpus(pool: Resource) -> bool | Unknown:
    """Whether a limit, a taint or a requirement refers to GPUs."""
    limits = labels_at(at(pool.inputs, "spec", "limits"))
    template = at(pool.inputs, "spec", "template", "spec")
    keys = [text(entry, "key") for name in ("taints", "requirements") for entry in known_items(template, name)]
    if (limits is not UNKNOWN and _GPU in limits) or any(isinstance(key, str) and "gpu" in key for key in keys):
        return True
    return UNKNOWN if limits is UNKNOWN or UNKNOWN in keys else False


def _budgets(pool: Resource) -> list[Any] | None:
    """None while unknown; the default, a tenth of the nodes, if there are none."""
    found = items(pool.inputs, "spec", "disruption", "budgets")
    return None if found is UNKNOWN or UNKNOWN in found else found


def _forbids(budget: Any, reason: str) -> bool:
    """Whether a budget forbids disruption for a reason at any time."""
    reasons = items(budget, "reasons")
    always = at(budget, "schedule") is None
    return always and at(budget, "nodes") in _NONE and (not reasons or (reasons is not UNKNOWN and reason in reasons))


RULE: Final = StackRule(
    name="karpenter-keeps-jobs",
    title="Karpenter does not disrupt running jobs",
    why="A disrupted job restarts from its last checkpoint, and a new node may be unavailable. Without a disruption "
    "budget Karpenter disrupts a tenth of the nodes at a time, and every node once per upgrade.",
    fix='Set spec.disruption.consolidationPolicy WhenEmpty and a budget {nodes: "0", reasons: [Drifted, '
    "Underutilized]}; roll nodes between jobs.",
    reads=f"{_POOL} with GPUs",
    severity=Severity.HIGH,
    order=40,
    check=check,
)
