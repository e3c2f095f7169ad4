"""A rule asks every cloud's check, and tells the fix in that cloud's words."""

from __future__ import annotations

import pytest

from gpucluster.core.program.resources import Resource
from gpucluster.policies.clouds.per_cloud import CloudCheck, per_cloud
from gpucluster.policies.engine.rule import CannotTell, Violation

HERE = Resource(urn="u", type="t", name="n")
BARE, UNDECIDED = Violation(HERE, "a"), CannotTell(HERE, "b")
FIXED = Violation(HERE, "c", fix="Something special.")
CHECKS = per_cloud(
    azure=CloudCheck(check=lambda _: [BARE, FIXED], reads="one:thing", fix="Change one."),
    kubernetes=CloudCheck(check=lambda _: [BARE, UNDECIDED], reads="two:thing", fix="Change two."),
)


def test_findings_of_every_cloud_carry_its_fix():
    assert list(CHECKS["check"](HERE)) == [
        Violation(HERE, "a", fix="Change one."),
        FIXED,
        Violation(HERE, "a", fix="Change two."),
        UNDECIDED,
    ]


def test_the_rule_tells_the_fix_of_every_cloud_and_what_all_read():
    assert CHECKS["fix"] == "Azure: change one. Kubernetes: change two."
    assert CHECKS["reads"] == "one:thing; two:thing"


def test_a_check_of_an_unknown_cloud_is_a_mistake_of_the_rule():
    with pytest.raises(KeyError, match="mars"):
        per_cloud(mars=CloudCheck(check=lambda _: (), reads="x", fix="Leave."))
