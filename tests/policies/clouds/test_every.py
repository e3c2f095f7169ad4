"""A rule asks every cloud's own check, and tells the fix in that cloud's words."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from gpucluster.policies.clouds.every import Judged, on_every_cloud
from gpucluster.policies.rule import CannotTell, Stack, Violation
from gpucluster.program.resources import Resource

HERE = Resource(urn="u", type="t", name="n")


def _cloud(name, *findings) -> Any:
    return SimpleNamespace(FIX=f"Change {name}.", READS=f"{name}:thing", check=lambda _: findings)


def test_findings_of_every_cloud_carry_its_own_fix():
    own = Violation(HERE, "b", fix="Something special.")
    judged = Judged(
        {
            "One": _cloud("one", Violation(HERE, "a"), own),
            "Two": _cloud("two", Violation(HERE, "c"), CannotTell(HERE, "d")),
        }
    )
    assert list(judged.check(HERE)) == [
        Violation(HERE, "a", fix="Change one."),
        own,
        Violation(HERE, "c", fix="Change two."),
        CannotTell(HERE, "d"),
    ]


def test_the_rule_itself_tells_the_fix_of_every_cloud():
    judged = Judged({"One": _cloud("one"), "Two": _cloud("two")})
    assert judged.fix == "One: change one. Two: change two."
    assert judged.reads == "one:thing; two:thing"


def test_a_rule_finds_the_checks_called_like_it_on_the_clouds_that_have_one():
    judged = on_every_cloud(Stack, "gpucluster.policies.rules.no_wildcard_rights")
    assert {title: cast(ModuleType, module).__name__.split(".")[3] for title, module in judged.clouds.items()} == {
        "AWS": "aws",
        "Google Cloud": "gcp",
        "Azure": "azure",
        "Kubernetes": "kubernetes",
    }
    assert list(on_every_cloud(Stack, "disks_encrypted").clouds) == ["AWS"]


def test_a_rule_that_no_cloud_has_a_check_for_says_where_one_belongs():
    with pytest.raises(LookupError, match=r"add policies/clouds/CLOUD/checks/misspelt\.py"):
        on_every_cloud(Stack, "gpucluster.policies.rules.misspelt")
