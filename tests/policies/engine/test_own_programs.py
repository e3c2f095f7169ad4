"""What packs count of a cluster's own programs, and list only where they trust no program."""

from __future__ import annotations

import pytest

from gpucluster.core.program.resources import Resource
from gpucluster.policies.engine.exemptions import Grant
from gpucluster.policies.engine.own_programs import counted, only_counted
from gpucluster.policies.engine.rule import Accepted, CannotTell, Outcome
from gpucluster.policies.rules import no_privileged_containers, no_wildcard_rights, price_known

POD, ROLE = "kubernetes:apps/v1:DaemonSet", "aws:iam/rolePolicy:RolePolicy"


def inside(type_: str, name: str, around: str = "gpucluster:aws:TrainingCluster$") -> Resource:
    return Resource(urn=f"urn:pulumi:dev::shop::{around}{type_}::{name}", type=type_, name=name)


def outcomes(around: str) -> list[Outcome]:
    pods = tuple(Accepted(inside(POD, name, around), "privileged", "it copies") for name in ("one", "two"))
    role = CannotTell(inside(ROLE, "role", around), "its policy is not known yet")
    return [
        Outcome(rule=no_privileged_containers.RULE, accepted=pods),
        Outcome(rule=no_wildcard_rights.RULE, unknown=(role,)),
        Outcome(rule=price_known.RULE, unknown=(role,)),
    ]


OURS = "gpucluster:aws:TrainingCluster$"


@pytest.mark.parametrize(
    ("around", "trusts", "told"),
    [
        (OURS, True, "3 daemons and roles of the clusters themselves not evaluated; the pack production lists them"),
        (OURS, False, ""),
        ("shop:index:Cluster$", True, ""),
    ],
    ids=["a cluster of ours", "a pack that trusts no program", "a component of the program"],
)
def test_they_are_counted_in_packs_that_trust_programs(around: str, trusts: bool, told: str) -> None:
    assert counted(outcomes(around), Grant(trusts=trusts)) == told


def test_questions_of_other_rules_stay_findings() -> None:
    *_, prices = outcomes(OURS)
    assert not only_counted(prices, prices.unknown[0].resource, Grant())
