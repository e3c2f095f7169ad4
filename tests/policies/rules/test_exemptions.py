"""exemptions-valid and exemptions-in-use, and what an exemption does to the rule it names."""

from __future__ import annotations

import datetime

import pytest

from gpucluster.policies.engine.exemptions import Grant, today
from gpucluster.policies.engine.rule import Changes
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.engine.settings import Settings
from gpucluster.policies.packs import PRODUCTION, TRAINING
from gpucluster.policies.report import check_stack
from gpucluster.policies.rules import exemptions_in_use, exemptions_valid, label_values, training_pool_in_one_domain
from tests.cases import cases
from tests.says import Says

DOMAIN = training_pool_in_one_domain.RULE
ENTRY = {
    "rule": "training-pool-in-one-domain",
    "resource": "train",
    "reason": "throughput test without fabric",
    "owner": "ada",
    "until": "2026-11-21",
}


@pytest.fixture
def exempted(program):
    """A pool without a domain, and an exemption that accepts it."""
    del program["template"]["placement"]
    program.depends("template", "placement")
    program["trial"]["exemptions"] = [dict(ENTRY)]
    return program


def _run(program, *rules, **given):
    outcomes = evaluate(
        [*rules, exemptions_valid.RULE, exemptions_in_use.RULE], program.stack().resources, today=program.today, **given
    )
    return {
        outcome.rule.name: [(v.resource.name if v.resource else "", v.what) for v in outcome.violations]
        for outcome in outcomes
    }


@cases
def test_an_exemption_accepts_only_what_it_names_while_it_is_in_force(exempted, change, outside, kept, valid, in_use):
    entry = {**exempted["trial"]["exemptions"][0], **change}
    exempted["trial"]["exemptions"] = [{name: value for name, value in entry.items() if value is not None}]
    exempted.outside.update(outside)
    found = _run(exempted, DOMAIN)
    assert [name for name, _ in found["training-pool-in-one-domain"]] == (["train"] if kept else [])
    assert found["exemptions-valid"] == [("trial", what) for what in valid]
    assert found["exemptions-in-use"] == [tuple(one) for one in in_use]


def test_a_urn_names_the_resource_as_well(exempted):
    exempted["trial"]["exemptions"][0]["resource"] = exempted.declared["train"].urn
    assert _run(exempted, DOMAIN)["training-pool-in-one-domain"] == []


def test_what_the_cloud_refuses_cannot_be_accepted(program):
    program["group"]["tags"]["owner"] = "a#b"
    program["trial"]["exemptions"] = [{**ENTRY, "rule": "label-values", "resource": "group", "until": "2027-01-01"}]
    found = _run(program, label_values.RULE)
    assert [name for name, _ in found["label-values"]] == ["group"]
    assert [name for name, _ in found["exemptions-in-use"]] == ["trial"]


def test_an_exemption_cannot_accept_its_own_end(exempted):
    own = {**ENTRY, "rule": "exemptions-valid", "resource": "trial", "until": "2027-01-01"}
    exempted["trial"]["exemptions"] = [{**ENTRY, "until": "2020-01-01"}, own]
    assert [name for name, _ in _run(exempted)["exemptions-valid"]] == ["trial"]


def test_exemptions_not_known_yet_are_said(program, found, unknown):
    program["trial"]["exemptions"] = program.unknown
    assert found(exemptions_valid.RULE, program) == []
    assert unknown(exemptions_valid.RULE, program) == [("trial", "the exemptions are not known yet")]


def test_an_entry_not_known_yet_is_said(exempted, found, unknown):
    exempted["trial"]["exemptions"][0]["until"] = exempted.unknown
    assert found(exemptions_valid.RULE, exempted) == []
    assert unknown(exemptions_valid.RULE, exempted) == [("trial", "exemption 1 is not known yet")]


@pytest.mark.parametrize(
    ("day", "stops"),
    [("2026-11-20", False), ("2026-11-21", False), ("2026-11-22", True)],
    ids=["before", "of", "after"],
)
@pytest.mark.parametrize("source", ["component", "configuration"])
def test_an_exemption_holds_to_the_end_of_its_last_day(exempted, source, day, stops):
    config = {}
    if source == "configuration":
        [entry] = exempted["trial"].pop("exemptions")
        config = {DOMAIN.name: {"exemptions": [{key: value for key, value in entry.items() if key != "rule"}]}}
    outcomes = evaluate(
        [DOMAIN, exemptions_valid.RULE, exemptions_in_use.RULE],
        exempted.stack().resources,
        today=datetime.date.fromisoformat(day),
        settings=Settings(configs=config),
    )
    found = {outcome.rule.name: [v.what for v in outcome.violations] for outcome in outcomes}
    assert ("5 nodes of p5.48xlarge, no placement group and no reservation" in found[DOMAIN.name]) == stops
    assert bool(found["exemptions-in-use"]) != stops
    ended = [what for of in found.values() for what in of if "ended on 2026-11-21, owner ada" in what]
    assert len(ended) == stops


def _configured(program, *entries):
    settings = Settings(configs={DOMAIN.name: {"exemptions": list(entries)}})
    rules = [DOMAIN, exemptions_in_use.RULE]
    outcomes = evaluate(rules, program.stack().resources, today=program.today, settings=settings)
    return {outcome.rule.name: [v.what for v in outcome.violations] for outcome in outcomes}


def test_an_exemption_of_the_configuration_that_lacks_something_is_a_finding_of_its_rule(program):
    entry = {"resource": "train", "reason": "agreed for a test", "until": "2026-11-21"}
    assert _configured(program, entry, "train") == {
        DOMAIN.name: [Says("1", "no", "owner"), Says("2", "no", "rule", "resource", "reason", "owner", "until")],
        "exemptions-in-use": [],
    }


def test_an_exemption_of_the_configuration_that_accepts_nothing_is_said(program):
    entry = {"resource": "train", "reason": "agreed for a test", "owner": "ada", "until": "2026-11-21"}
    [what] = _configured(program, entry)["exemptions-in-use"]
    assert what.startswith(f"the exemption from `{DOMAIN.name}` for `train` accepts nothing")


def test_the_day_is_that_of_utc():
    assert today() == datetime.datetime.now(datetime.UTC).date()


def test_a_pack_that_counts_no_exemptions_of_programs_keeps_the_finding_and_says_so(exempted):
    outcomes = evaluate(
        [DOMAIN, exemptions_in_use.RULE], exempted.stack().resources, today=exempted.today, grant=Grant(counts=False)
    )
    found = {(outcome.rule.name, v.resource.name): v.what for outcome in outcomes for v in outcome.violations}
    assert list(found) == [("training-pool-in-one-domain", "train"), ("exemptions-in-use", "trial")]
    assert "`training-pool-in-one-domain` for `train` does not count" in found["exemptions-in-use", "trial"]


def test_the_production_pack_counts_exemptions_of_its_configuration_alone(exempted):
    entry = {key: value for key, value in exempted["trial"]["exemptions"][0].items() if key != "rule"}
    resources, configs = exempted.stack().resources, {DOMAIN.name: {"exemptions": [entry]}}
    left = {
        name: [
            violation.resource.name
            for outcome, _ in check_stack(
                "a", resources, pack=pack, settings=Settings(configs=config), today=exempted.today
            ).outcomes
            if outcome.rule is DOMAIN
            for violation in outcome.violations
        ]
        for name, pack, config in [
            ("training", TRAINING, {}),
            ("production", PRODUCTION, {}),
            ("production, configured", PRODUCTION, configs),
        ]
    }
    assert left == {"training": [], "production": ["train"], "production, configured": []}


@cases
def test_a_setting_says_whose_exemptions_in_programs_count_from_which_rules_and_how_long(
    exempted, config, kept, valid, in_use
):
    found = _run(exempted, DOMAIN, grant=TRAINING.grant({"exemptions-valid": config}))
    assert [name for name, _ in found["training-pool-in-one-domain"]] == (["train"] if kept else [])
    assert found["exemptions-valid"] == [("trial", what) for what in valid]
    assert [what for _, what in found["exemptions-in-use"]] == in_use


@pytest.mark.parametrize(("config", "accepted"), [({}, False), ({"ofPrograms": "count", "owners": ["ada"]}, True)])
def test_production_ignores_exemptions_of_programs_unless_a_setting_allows_them(exempted, config, accepted):
    settings = Settings(configs={"exemptions-valid": config})
    found = check_stack("", exempted.stack().resources, pack=PRODUCTION, settings=settings, today=exempted.today)
    said = {outcome.rule.name: outcome for outcome, _ in found.outcomes}
    assert bool(said["training-pool-in-one-domain"].exempted) == accepted
    assert bool(said["training-pool-in-one-domain"].violations) != accepted


def test_exemptions_of_the_packs_configuration_count_whatever_programs_may_do(exempted):
    del exempted["trial"]["exemptions"]
    entry = {name: value for name, value in ENTRY.items() if name != "rule"}
    configs = {"exemptions-valid": {"ofPrograms": "ignored", "days": 1}, DOMAIN.name: {"exemptions": [entry]}}
    assert _run(exempted, DOMAIN, settings=Settings(configs=configs), grant=TRAINING.grant(configs)) == {
        "training-pool-in-one-domain": [],
        "exemptions-valid": [],
        "exemptions-in-use": [("train", Says("training-pool-in-one-domain", "2026-11-21", "ada"))],
    }


def test_an_end_that_no_file_of_the_change_has_is_refused(exempted):
    found = _run(exempted, DOMAIN, grant=Grant(computed=frozenset({"2026-11-21"})))
    assert [name for name, _ in found["training-pool-in-one-domain"]] == ["train"]
    assert found["exemptions-valid"] == [
        ("trial", Says("train", "2026-11-21", "no", "file", "computes", "never", "YYYY-MM-DD"))
    ]
    assert _run(exempted, DOMAIN, grant=Grant(computed=frozenset()))["exemptions-valid"] == []


@pytest.mark.parametrize(
    ("before", "read", "told"),
    [("2026-11-20", None, True), ("2026-11-21", None, False), ("2026-11-22", None, False), ("2026-11-20", (), False)],
    ids=["later", "the same", "earlier", "the files of the change were read"],
)
def test_an_end_that_moved_since_the_last_update_is_told_where_nobody_read_the_program(exempted, before, read, told):
    after = exempted.stack().resources
    exempted["trial"]["exemptions"][0] |= {"until": before, "reason": f"agreed with the team until {before}"}
    changes = Changes(ended=[], before=exempted.stack().resources, after=after)
    grant = Grant(computed=None if read is None else frozenset(read))
    [outcome] = evaluate([exemptions_valid.RULE], after, changes, today=exempted.today, grant=grant)
    said = [("trial", Says("moved", "2026-11-20", "2026-11-21", "pr-check"))]
    assert [(one.resource.name, one.what) for one in outcome.unknown] == (said if told else [])
    assert outcome.violations == ()
