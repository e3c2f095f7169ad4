"""A rule asks every cloud's own check, and tells the fix in that cloud's words."""

from __future__ import annotations

import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from gpucluster.policies.clouds.per_cloud import Judged, resource_checks, stack_checks
from gpucluster.policies.rule import CannotTell, Violation
from gpucluster.program.resources import Resource
from tests.says import Says

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


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a rule that two clouds and Kubernetes have checks of, beside a module of its own."""
    monkeypatch.syspath_prepend(tmp_path)
    rule = tmp_path / "judged_apart"
    rule.mkdir()
    for name in ("__init__", "kubernetes", "azure", "aws", "words"):
        (rule / f"{name}.py").write_text(f"FIX, READS, check = 'Change {name}.', '{name}', lambda _: ()\n")
    yield rule
    for name in [name for name in sys.modules if name.partition(".")[0] == "judged_apart"]:
        del sys.modules[name]


def test_a_rule_has_the_checks_in_its_folder_that_are_called_like_clouds(folder):
    checks = stack_checks(import_module(folder.name).__name__)
    assert checks["fix"] == Says("AWS", "change", "change", "change", "kubernetes")
    assert checks["reads"] == "aws; azure; kubernetes"
    assert checks["config"] == {}
    of_resource = resource_checks(folder.name)
    assert (of_resource["fix"], of_resource["reads"]) == (checks["fix"], checks["reads"])


def test_a_rule_that_no_cloud_has_a_check_for_says_where_one_belongs(folder):
    for cloud in ("kubernetes", "azure", "aws"):
        (folder / f"{cloud}.py").unlink()
    import_module(folder.name)
    with pytest.raises(LookupError, match=r"add policies/rules/judged_apart/CLOUD\.py"):
        stack_checks(folder.name)
