from __future__ import annotations

from gpucluster.sandbox.clouds.kubernetes.verdict import Outcome, Verdict


def test_a_run_that_asked_nothing_says_so() -> None:
    assert [*Verdict().lines("1.34.1")] == ["Real Kubernetes API server 1.34.1: no objects to validate"]


def test_each_object_counts_once_as_it_was_judged_last_and_kinds_are_told_apart_by_their_group() -> None:
    verdict = Verdict()
    verdict.record("kubernetes:core/v1:Namespace", "a", Outcome.POSTPONED)
    verdict.record("kubernetes:core/v1:Namespace", "a", Outcome.ACCEPTED)
    verdict.record("kubernetes:core/v1:Namespace", "b", Outcome.ACCEPTED)
    verdict.record("kubernetes:karpenter.sh/v1:NodePool", "p", Outcome.REFUSED)
    verdict.record("kubernetes:example.com/v1:Gadget", "g", Outcome.UNCHECKED)
    verdict.record("kubernetes:helm.sh/v3:Release", "r", Outcome.SIMULATED)
    verdict.record_refusal("kubernetes:apps/v1:DaemonSet", "kube-system/d", "no such field")
    assert [*verdict.lines("1.34.1")] == [
        "Real Kubernetes API server 1.34.1: 2 accepted, 1 refused, 1 unchecked",
        "  accepted: 2 Namespace",
        "  refused: 1 NodePool.karpenter.sh",
        "  unchecked but by the sandbox's own rules, for want of a definition: 1 Gadget.example.com",
        "  charts, simulated without the objects inside: 1 Release.helm.sh",
        "  stands since an earlier run, and would be refused: DaemonSet kube-system/d: no such field",
    ]


def test_what_is_unchecked_is_said_where_there_is_none() -> None:
    verdict = Verdict()
    verdict.record("kubernetes:core/v1:Namespace", "a", Outcome.ACCEPTED)
    assert next(iter(verdict.lines("1.34.1"))) == "Real Kubernetes API server 1.34.1: 1 accepted, 0 unchecked"
