"""Every pack: what it promotes, started as the engine starts it, and one preview with it."""

from __future__ import annotations

import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import analyzer_pb2

from gpucluster.policies.engine.rule import ReportRule
from gpucluster.policies.packs import BASELINE, PACKS, PRODUCTION, TRAINING
from tests.policies.previews import PACK, Seeded
from tests.policies.served import served

FOLDERS = {"training": PACK, **{name: PACK / "packs" / name for name in ("baseline", "production")}}


def test_every_pack_has_a_folder():
    assert set(FOLDERS) == set(PACKS)
    assert {path.parent.name for path in (PACK / "packs").glob("*/PulumiPolicy.yaml")} == set(PACKS) - {"training"}


def test_packs_run_the_same_rules():
    assert BASELINE.rules == TRAINING.rules == PRODUCTION.rules


def test_the_baseline_promotes_nothing_and_production_all_but_what_reports_on_others():
    reports = {rule.name for rule in TRAINING.rules if isinstance(rule, ReportRule)}
    assert BASELINE.mandatory == frozenset()
    assert PRODUCTION.mandatory == {rule.name for rule in TRAINING.rules} - reports
    assert BASELINE.mandatory < TRAINING.mandatory < PRODUCTION.mandatory


@pytest.mark.parametrize("name", ["baseline", "production"])
def test_the_engine_is_told_every_policy_of_a_pack_with_its_level(name):
    folder, pack = FOLDERS[name], PACKS[name]
    with served(folder) as (stub, _):
        info = stub.GetAnalyzerInfo(empty_pb2.Empty())
    level = analyzer_pb2.EnforcementLevel.Name
    assert info.name == name
    assert {policy.name: level(policy.enforcementLevel).lower() for policy in info.policies} == {
        rule.name: pack.enforcement(rule).value for rule in pack.rules if rule not in pack.change_rules
    }


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stops", "level"), [("baseline", False, "advisory"), ("production", True, "mandatory")]
)
def test_a_preview_with_the_pack_is_stopped_or_not(tmp_path, name, stops, level):
    """By what the training pack only advises against."""
    code, findings, output = Seeded(tmp_path, "aws").preview("spot", pack=FOLDERS[name])
    assert [(found, policy) for found, policy, _ in findings] == [(level, "training-pool-not-on-spot")], output
    assert (code != 0) is stops
