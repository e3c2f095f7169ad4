"""A rule asks every cloud's own check, and tells the fix in that cloud's words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import CannotTell, Violation
from gpucluster.program.resources import Resource

HERE = Resource(urn="u", type="t", name="n")


def _cloud(name, *findings) -> Any:
    return SimpleNamespace(FIX=f"Change {name}.", READS=f"{name}:thing", check=lambda _: findings)


def test_findings_of_every_cloud_carry_its_own_fix():
    own = Violation(HERE, "b", fix="Something special.")
    judged = on_every_cloud(
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
    judged = on_every_cloud({"One": _cloud("one"), "Two": _cloud("two")})
    assert judged.fix == "One: change one. Two: change two."
    assert judged.reads == "one:thing; two:thing"
