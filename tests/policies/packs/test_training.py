"""Every policy of the training pack is complete."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto.analyzer_pb2 import POLICY_TYPE_RESOURCE, EnforcementLevel, PolicySeverity

import gpucluster.policies.rules
from gpucluster.policies.engine.analyzer import Analyzer
from gpucluster.policies.engine.rule import ChangeRule, Enforcement, ReportRule, ResourceRule
from gpucluster.policies.packs import BASELINE, TRAINING
from gpucluster.policies.rules import rules

BY_NAME = {rule.name: rule for rule in TRAINING.rules}
POLICIES = Analyzer(TRAINING).GetAnalyzerInfo(Empty(), None).policies


def test_every_rule_says_what_why_and_how_to_mend():
    assert [name for name in BY_NAME if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name)] == []
    said = {rule.name: (rule.title, rule.why, rule.fix, rule.reads) for rule in TRAINING.rules}
    assert [
        (name, text) for name, texts in said.items() for text in texts if len(text) <= 10 or text != text.strip()
    ] == []
    ends = {name: tuple(text.endswith(".") for text in texts[:3]) for name, texts in said.items()}
    assert ends == dict.fromkeys(BY_NAME, (False, True, True))


def test_a_rule_says_its_level_in_the_training_pack_and_another_pack_may_say_otherwise():
    assert {TRAINING.enforcement(rule) for rule in TRAINING.rules} == {Enforcement.ADVISORY, Enforcement.MANDATORY}
    assert [rule.name for rule in TRAINING.rules if TRAINING.enforcement(rule) is not rule.enforcement] == []
    assert {BASELINE.enforcement(rule) for rule in TRAINING.rules} == {Enforcement.ADVISORY}


def test_mandatory_rules_come_first_and_each_of_a_level_has_a_place_of_its_own():
    assert TRAINING.rules == rules()
    places = [
        (rule.enforcement is Enforcement.ADVISORY, isinstance(rule, ReportRule), rule.order) for rule in TRAINING.rules
    ]
    assert places == sorted(set(places))


def test_frameworks_are_named_with_their_page():
    named = [(rule.name, one) for rule in TRAINING.rules for one in rule.frameworks]
    assert named
    assert [one for one in named if not one[1].name or not one[1].specification] == []
    assert [one for one in named if not one[1].reference.startswith("https://")] == []


def test_every_file_holds_one_rule_of_its_name_beside_its_example_and_is_in_the_pack():
    folder = Path(gpucluster.policies.rules.__file__).parent
    named = {kind: {file.stem.replace("_", "-") for file in folder.glob(f"[!_]*.{kind}")} for kind in ("py", "yaml")}
    assert named == {"py": set(BY_NAME), "yaml": set(BY_NAME)}


def test_a_rule_is_found_by_being_there(tmp_path, monkeypatch):
    like = "import dataclasses\nfrom gpucluster.policies.rules.not_checked import RULE as LIKE\n"
    (tmp_path / "found_by_being_there.py").write_text(f"{like}RULE = dataclasses.replace(LIKE, name='found')\n")
    monkeypatch.setattr(gpucluster.policies.rules, "__path__", [*gpucluster.policies.rules.__path__, str(tmp_path)])
    assert [rule.name for rule in rules.__wrapped__() if rule not in TRAINING.rules] == ["found"]
    del sys.modules["gpucluster.policies.rules.found_by_being_there"]


def test_names_of_rules_are_unique():
    assert len(BY_NAME) == len(TRAINING.rules)


def test_what_reports_on_other_rules_is_never_mandatory():
    reports = {rule.name for rule in TRAINING.rules if isinstance(rule, ReportRule)}
    assert reports == {"gpu-machines-unread", "not-known-yet", "not-checked", "exemptions-in-use"}
    assert not reports & TRAINING.mandatory


def test_every_policy_carries_the_metadata_of_its_rule():
    for policy in POLICIES:
        rule = BY_NAME[policy.name]
        assert (policy.description, policy.displayName.lower()) == (rule.title, rule.name.replace("-", " "))
        assert PolicySeverity.Name(policy.severity) == f"POLICY_SEVERITY_{rule.severity.name}"
        assert EnforcementLevel.Name(policy.enforcementLevel) == TRAINING.enforcement(rule).name
        assert policy.remediation_steps == rule.fix
        assert set(policy.configSchema.properties) == set(rule.settings)
        assert policy.HasField("framework") == bool(rule.frameworks)


def test_what_mends_or_looks_at_one_resource_is_asked_about_each():
    of_resources = {p.name for p in POLICIES if p.policy_type == POLICY_TYPE_RESOURCE}
    assert of_resources == {rule.name for rule in TRAINING.rules if isinstance(rule, ResourceRule)} | {
        "required-labels"
    }


def test_report_rules_run_last():
    assert [policy.name for policy in POLICIES][-4:] == [
        "exemptions-in-use",
        "not-checked",
        "gpu-machines-unread",
        "not-known-yet",
    ]


def test_rules_about_change_are_no_policies_of_the_pack():
    names = {policy.name for policy in POLICIES}
    assert names == {rule.name for rule in TRAINING.rules} - {rule.name for rule in TRAINING.change_rules}
    assert {type(rule) for rule in TRAINING.change_rules} == {ChangeRule}
