"""Every policy of the training pack is complete."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

from pulumi.runtime.proto.analyzer_pb2 import POLICY_TYPE_RESOURCE, EnforcementLevel, PolicySeverity

import gpucluster.policies.rules
from gpucluster.policies.analyzer_info import analyzer_info
from gpucluster.policies.packs import BASELINE
from gpucluster.policies.rule import ChangeRule, Enforcement, ReportRule, ResourceRule, Rule
from gpucluster.policies.rules import rules
from gpucluster.policies.training import PACK

BY_NAME = {rule.name: rule for rule in PACK.rules}


def test_every_rule_says_what_why_and_how_to_mend():
    assert [name for name in BY_NAME if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name)] == []
    said = {rule.name: (rule.title, rule.why, rule.fix, rule.reads) for rule in PACK.rules}
    assert [
        (name, text) for name, texts in said.items() for text in texts if len(text) <= 10 or text != text.strip()
    ] == []
    ends = {name: tuple(text.endswith(".") for text in texts[:3]) for name, texts in said.items()}
    assert ends == dict.fromkeys(BY_NAME, (False, True, True))


def test_a_rule_says_its_level_in_the_training_pack_and_another_pack_may_say_otherwise():
    assert {PACK.enforcement(rule) for rule in PACK.rules} == {Enforcement.ADVISORY, Enforcement.MANDATORY}
    assert [rule.name for rule in PACK.rules if PACK.enforcement(rule) is not rule.enforcement] == []
    assert {BASELINE.enforcement(rule) for rule in PACK.rules} == {Enforcement.ADVISORY}


def test_mandatory_rules_come_first_and_each_of_a_level_has_a_place_of_its_own():
    assert PACK.rules == rules()
    places = [
        (rule.enforcement is Enforcement.ADVISORY, isinstance(rule, ReportRule), rule.order) for rule in PACK.rules
    ]
    assert places == sorted(set(places))


def test_frameworks_are_named_with_their_page():
    named = [(rule.name, one) for rule in PACK.rules for one in rule.frameworks]
    assert named
    assert [one for one in named if not one[1].name or not one[1].specification] == []
    assert [one for one in named if not one[1].reference.startswith("https://")] == []


def test_every_folder_holds_one_rule_of_its_name_and_is_in_the_pack():
    folders = [file.parent.name for file in Path(gpucluster.policies.rules.__file__).parent.glob("*/*.yaml")]
    held = {name: importlib.import_module(f"gpucluster.policies.rules.{name}").RULE for name in folders}
    assert all(isinstance(rule, Rule) and rule.name == name.replace("_", "-") for name, rule in held.items())
    assert {rule.name for rule in held.values()} == set(BY_NAME)


def test_a_rule_is_found_by_being_there(tmp_path, monkeypatch):
    folder = tmp_path / "found_by_being_there"
    folder.mkdir()
    like = "import dataclasses\nfrom gpucluster.policies.rules.not_checked import RULE as LIKE\n"
    (folder / "__init__.py").write_text(f"{like}RULE = dataclasses.replace(LIKE, name='found')\n")
    monkeypatch.setattr(gpucluster.policies.rules, "__path__", [*gpucluster.policies.rules.__path__, str(tmp_path)])
    assert [rule.name for rule in rules.__wrapped__() if rule not in PACK.rules] == ["found"]
    del sys.modules["gpucluster.policies.rules.found_by_being_there"]


def test_names_of_rules_are_unique():
    assert len(BY_NAME) == len(PACK.rules)


def test_what_reports_on_other_rules_is_never_mandatory():
    reports = {rule.name for rule in PACK.rules if isinstance(rule, ReportRule)}
    assert reports == {"gpu-machines-unread", "not-known-yet", "not-checked", "exemptions-in-use"}
    assert not reports & PACK.mandatory


def test_every_policy_carries_the_metadata_of_its_rule():
    for policy in analyzer_info(PACK).policies:
        rule = BY_NAME[policy.name]
        assert policy.description == rule.title
        assert PolicySeverity.Name(policy.severity) == f"POLICY_SEVERITY_{rule.severity.name}"
        assert EnforcementLevel.Name(policy.enforcementLevel) == PACK.enforcement(rule).name
        assert policy.remediation_steps == rule.fix
        assert set(policy.configSchema.properties) == set(rule.settings)
        assert policy.HasField("framework") == bool(rule.frameworks)


def test_what_mends_or_looks_at_one_resource_is_asked_about_each():
    of_resources = {p.name for p in analyzer_info(PACK).policies if p.policy_type == POLICY_TYPE_RESOURCE}
    assert of_resources == {rule.name for rule in PACK.rules if isinstance(rule, ResourceRule)} | {"required-labels"}


def test_report_rules_run_last():
    assert [policy.name for policy in analyzer_info(PACK).policies][-4:] == [
        "exemptions-in-use",
        "not-checked",
        "gpu-machines-unread",
        "not-known-yet",
    ]


def test_rules_about_change_are_no_policies_of_the_pack():
    names = {policy.name for policy in analyzer_info(PACK).policies}
    assert names == {rule.name for rule in PACK.rules} - {rule.name for rule in PACK.change_rules}
    assert {type(rule) for rule in PACK.change_rules} == {ChangeRule}
