"""Evidence held against rules and prices."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.core.documents.formats import written
from gpucluster.cost.prices import DamagedBook, PriceBook
from gpucluster.cost.prices.book import _FOLDER
from gpucluster.operate.judges import verdicts as bench
from gpucluster.operate.judges.verdicts import Remark
from gpucluster.operate.pull_request import judgement as vendors
from gpucluster.operate.pull_request.comment import comment, judgement_document
from gpucluster.operate.pull_request.evidence import Evidence
from gpucluster.operate.pull_request.judge import Judge, _compared
from gpucluster.operate.pull_request.judgement import Judgement
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.rule import Enforcement, Violation
from gpucluster.policies.engine.settings import Settings
from gpucluster.policies.packs import TRAINING
from gpucluster.policies.report import Found
from tests.gpucluster.operate.judges.conftest import resources
from tests.gpucluster.operate.pull_request.conftest import (
    CLUSTER,
    LABELS,
    LUSTRE,
    NODES,
    PACK,
    TODAY,
    TRIAL,
    Resources,
    changed,
    evidence,
    plan,
    stack,
)
from tests.says import Says

TWICE = changed("system", scalingConfig={"desiredSize": 4, "minSize": 4, "maxSize": 4})


def rules(found: Judgement) -> list[tuple[str, str, bool]]:
    return [(item.found.rule.name, item.found.subject, item.new) for _, item in found.mandatory]


def test_a_change_of_nothing_is_calm(judge) -> None:
    found = judge(evidence(stack(TRIAL)))
    assert (found.calm, found.passes) == (True, True)
    [dev] = found.stacks
    assert (dev.before.monthly.expected, dev.after.monthly.expected) == (Decimal("471.54"), Decimal("471.54"))


@pytest.mark.parametrize(
    ("type_", "before", "after", "changed_input"),
    [
        (
            "eks:index:ManagedNodeGroup",
            {"scalingConfig": {"desiredSize": 1}},
            {"scalingConfig": {"desiredSize": 64}},
            "scalingConfig.desiredSize 1 -> 64",
        ),
        ("command:local:Command", {"create": "run --count 1"}, {"create": "run --count 64"}, "create"),
    ],
)
def test_a_change_of_what_nobody_can_price_is_never_calm(judge, type_, before, after, changed_input) -> None:
    old, new = ({**TRIAL, "gpus": {"type": type_, **inputs}} for inputs in (before, after))
    found = judge(evidence(stack(new, old)))
    assert (found.calm, found.verdict) == (False, "cannot tell")
    assert comment(found) == Says("gpus", type_, changed_input)
    same = judge(evidence(stack(new, new)))
    assert (same.calm, same.verdict, comment(same)) == (True, "passes", Says("at least $471.54"))


def test_the_order_of_resources_is_no_change(judge) -> None:
    """Plans and states come in the order of the engine, and findings may list resources in the order they come in."""
    more = {f"fs-{number}": {**TRIAL["shared"], "storageType": "HDD"} for number in range(7)}
    there = stack({**TRIAL, **more}, {**TRIAL, **more})
    assert there.plan is not None
    turned = {**there.plan, "steps": list(reversed(there.plan["steps"]))}
    found = judge(evidence(there.model_copy(update={"plan": turned})))
    assert [item.found.rule.name for item in found.stacks[0].advice] == ["not-known-yet"]
    assert found.calm


def test_more_nodes_cost_more_and_pass(judge) -> None:
    found = judge(evidence(stack(TWICE)))
    assert (found.calm, found.passes) == (False, True)
    assert found.stacks[0].diff.change.exact == Decimal("297.53")
    assert found.stacks[0].steps == {"update": 1}


def test_a_finding_says_what_its_resource_costs_and_whether_the_base_has_it(judge) -> None:
    unlabelled = changed("shared", tags={})
    found = judge(evidence(stack(unlabelled), stack(unlabelled, unlabelled, name="old")))
    assert rules(found) == [("required-labels", "shared", True), ("required-labels", "shared", False)]
    dev, item = found.mandatory[0]
    assert dev.monthly(item) == ("shared", Decimal("174.00"))


POOL: Resources = {
    **TRIAL,
    "gpus": {
        "type": NODES,
        "instanceTypes": ["p5.48xlarge"],
        "labels": LABELS,
        "tags": LABELS,
        "subnetIds": ["subnet-1", "subnet-2"],
        "scalingConfig": {"desiredSize": 4, "minSize": 4, "maxSize": 4},
    },
}
PLACED = replace(
    PACK, rules=tuple(rule for rule in TRAINING.rules if rule.name in ("training-pool-in-one-domain", "budget"))
)


def sized(nodes: int) -> Resources:
    return changed("gpus", POOL, scalingConfig={"desiredSize": nodes, "minSize": nodes, "maxSize": nodes})


def test_a_finding_of_the_base_stays_one_when_a_number_in_it_changes(judge) -> None:
    rule = "training-pool-in-one-domain"
    found = judge(evidence(stack(sized(8), sized(4)), stack(sized(8), sized(1), name="grown")), pack=PLACED)
    about = [(item.found.rule.name, item.found.violation.what, item.new) for _, item in found.mandatory]
    what = "8 nodes of p5.48xlarge, no placement group and no reservation: the group has no launch template"
    assert [one for one in about if one[0] == rule] == [(rule, what, False), (rule, what, True)]


def test_as_many_findings_as_the_base_has_are_old_and_one_more_is_new() -> None:
    rule = next(rule for rule in PACK.rules if rule.name == "required-labels")
    texts = ("2 nodes of pool 7", "1 node of pool 9", "no pool")
    found = [
        Found(checked=None, level=Enforcement.MANDATORY, rule=rule, violation=Violation(None, text))  # type: ignore[arg-type]
        for text in texts
    ]
    known = Counter[object]([(rule.name, None, Violation(None, "3 nodes of pool 7").kind)])
    assert [one.new for one in _compared(found, known, costs_more=False)] == [False, True, True]


@pytest.mark.parametrize(("nodes", "new"), [(3, True), (2, False), (1, False)])
def test_a_total_over_its_budget_is_new_if_the_stack_costs_more(nodes: int, new: bool) -> None:
    def of(count: int) -> Resources:
        return changed("system", scalingConfig={"desiredSize": count, "minSize": count, "maxSize": count})

    settings = Settings(configs={"budget": {"monthly": "100"}})
    judge = Judge(book=PriceBook(today=TODAY), pack=PACK, settings=settings, today=TODAY)
    assert rules(judge.judge(evidence(stack(of(nodes), of(2))), [])) == [("budget", "the whole stack", new)]


@pytest.mark.parametrize(
    ("after", "passes", "failing", "tolerated", "calm"),
    [
        (changed("shared", tags={}), True, [], ["shared"], True),
        (changed("system", changed("shared", tags={}), tags={}), False, ["system"], ["shared"], False),
        (TRIAL, True, [], [], False),
    ],
    ids=["old", "new", "mended"],
)
def test_with_only_new_a_finding_of_the_base_does_not_fail(after, passes, failing, tolerated, calm) -> None:
    judge = Judge(book=PriceBook(today=TODAY), pack=PACK, settings=Settings(), today=TODAY, only_new=True)
    found = judge.judge(evidence(stack(after, changed("shared", tags={}))), [])
    assert [item.found.subject for _, item in found.failing] == failing
    assert [item.found.subject for _, item in found.tolerated] == tolerated
    assert found.passes == passes
    assert not calm or found.calm


def test_without_a_base_to_compare_with_every_finding_is_new() -> None:
    judge = Judge(book=PriceBook(today=TODAY), pack=PACK, settings=Settings(), today=TODAY, only_new=True)
    alone = stack(changed("shared", tags={}), {}, base="failed", base_problem="no zone", state=None)
    found = judge.judge(evidence(alone), [])
    assert (found.passes, rules(found)) == (False, [("required-labels", "shared", True)])


def test_a_resource_without_a_price_has_that_of_the_part_it_is_in(judge) -> None:
    group = {**TRIAL, "group": {"type": "aws:ec2/securityGroup:SecurityGroup"}}
    [(dev, item)] = judge(evidence(stack(group))).mandatory
    assert (item.found.subject, dev.monthly(item)) == ("group", ("trial", Decimal("471.54")))


def test_what_a_replacement_loses_cost_what_it_did_before(judge) -> None:
    larger = changed("shared", storageCapacity=2400)
    found = judge(evidence(stack(larger, replaced=["shared"])))
    assert rules(found) == [("no-loss-of-shared-storage", "shared", True)]
    dev, item = found.mandatory[0]
    assert dev.monthly(item) == ("shared", Decimal("174.00"))
    assert [loss.name for loss in dev.diff.losses] == ["shared"]


def test_a_budget_that_is_passed_is_a_finding(judge) -> None:
    small = changed("trial", budget={"monthly": "400", "onExceed": "fail"})
    [(_, item)] = judge(evidence(stack(small))).mandatory
    assert item.found.rule.name == "budget"
    assert item.found.violation.what == Says("over", "$71.54", "$471.54")


def test_a_budget_that_is_passed_fails_where_no_rule_of_the_pack_says_so_too(judge) -> None:
    over = {"monthly": "400", "onExceed": "fail"}
    lenient = Pack(name="lenient", description="No rule about money", rules=(), mandatory=frozenset())
    [dev] = judge(evidence(stack(changed("trial", budget=over)))).stacks
    assert dev.refused == ""  # the rule says it
    found = judge(evidence(stack(changed("trial", budget=over))), pack=lenient)
    assert (found.passes, found.calm, found.mandatory) == (False, False, [])
    assert found.refused[0].refused == Says("over", "$71.54", "$471.54")
    assert found.refused[0].diff is not None
    warned = judge(evidence(stack(changed("trial", budget={**over, "onExceed": "warn"}))), pack=lenient)
    assert (warned.passes, warned.refused) == (True, [])


def test_the_region_of_the_base_is_its_own_and_not_that_of_the_head(judge) -> None:
    moved = plan("dev", TRIAL, TRIAL)
    moved["config"] = {"aws:region": "xx-nowhere-1"}
    [dev] = judge(evidence(stack(TRIAL, plan=moved))).stacks
    assert dev.before.complete
    assert not dev.after.complete


def test_a_new_stack_cost_nothing_before(judge) -> None:
    [dev] = judge(evidence(stack(TRIAL, {}, base="absent", state=None))).stacks
    assert (dev.before.monthly.expected, dev.after.monthly.expected) == (Decimal(0), Decimal("471.54"))
    assert (dev.no_comparison, dev.steps) == ("", {"create": 4})


def test_a_stack_that_is_gone_has_a_cost_before_and_is_not_calm(judge) -> None:
    found = judge(evidence(stack({}, head="absent", plan=None)))
    [dev] = found.stacks
    assert dev.before.monthly.expected == Decimal("471.54")
    assert (found.passes, found.calm) == (True, False)


def test_without_a_base_there_is_no_comparison_and_no_failure(judge) -> None:
    found = judge(evidence(stack(TRIAL, {}, base="failed", base_problem="over budget", state=None)))
    [dev] = found.stacks
    assert (dev.no_comparison, dev.before, found.passes) == ("over budget", None, True)
    assert dev.after.monthly.expected == Decimal("471.54")


def test_a_head_without_a_plan_fails_and_the_base_still_has_its_cost(judge) -> None:
    found = judge(evidence(stack(TRIAL, head="failed", head_problem="nodes is 0", plan=None)))
    [dev] = found.stacks
    assert (found.passes, dev.problem, dev.after) == (False, "nodes is 0", None)
    assert dev.before.monthly.expected == Decimal("471.54")


@pytest.mark.parametrize(
    "broken",
    [
        {"steps": "none"},
        {"steps": [{"op": "create", "urn": "u", "newState": {"urn": "no urn"}}]},
        {"config": {}, "steps": [], "changeSummary": {"same": 3}},
        {"steps": [], "diagnostics": [{"severity": "error", "message": "no"}]},
    ],
    ids=["steps", "urn", "sames", "error"],
)
def test_a_plan_that_breaks_a_reader_is_no_pass_and_leaves_the_others_alone(judge, broken) -> None:
    found = judge(evidence(stack(TRIAL, plan=broken), stack(TRIAL, name="prod")))
    bad, good = found.stacks
    assert not found.passes
    assert bad.problem
    assert good.after.monthly.expected == Decimal("471.54")


@pytest.mark.parametrize(
    "amount", ["1e999999", "-1e999999", 1e308, float("inf"), "9" * 5000, True], ids=lambda one: str(one)[:9]
)
def test_amounts_no_cloud_has_do_not_get_into_a_total(judge, amount) -> None:
    huge = changed("system", scalingConfig={"desiredSize": amount, "minSize": amount, "maxSize": amount})
    with_budget = changed("trial", huge, budget={"monthly": amount, "onExceed": "fail"})
    [dev] = judge(evidence(stack(with_budget))).stacks
    assert dev.problem or len(str(dev.after.monthly.expected)) < 40


def test_evidence_that_has_not_what_it_says_is_no_pass(judge) -> None:
    found = judge(evidence(stack(TRIAL, plan=None)))
    assert (found.passes, found.stacks[0].problem) == (False, "the file lacks entries that it declares")


def test_exemptions_are_named_where_the_base_has_not_the_same(judge) -> None:
    def exempt(until: str):
        entry = {
            "rule": "required-labels",
            "resource": "shared",
            "reason": "shared network",
            "owner": "o",
            "until": until,
        }
        return changed("trial", changed("shared", tags={}), exemptions=[entry])

    found = judge(
        evidence(
            stack(exempt("2026-12-01")),
            stack(exempt("2026-12-01"), exempt("2026-12-01"), name="same"),
            stack(exempt("2026-12-31"), exempt("2026-12-01"), name="longer"),
        )
    )
    assert [[one.until.isoformat() for one in dev.exemptions] for dev in found.stacks] == [
        ["2026-12-01"],
        [],
        ["2026-12-31"],
    ]
    assert found.mandatory == []


def test_an_exemption_with_an_end_that_each_run_computes_does_not_count(judge) -> None:
    entry = {"rule": "required-labels", "resource": "shared", "reason": "shared network", "owner": "o"}
    exempt = changed("trial", changed("shared", tags={}), exemptions=[{**entry, "until": "2026-12-01"}])
    found = judge(evidence(stack(exempt, exempt, computed_ends=["2026-12-01"])))
    assert rules(found) == [("required-labels", "shared", False), ("exemptions-valid", "trial", False)]
    assert found.mandatory[1][1].found.violation.what == Says("2026-12-01", "no", "file", "computes")
    assert judge(evidence(stack(exempt, exempt))).mandatory == []


def test_another_price_book_is_an_amount_of_its_own(judge, tmp_path: Path) -> None:
    for file in _FOLDER.glob("*.csv"):
        text = file.read_text()
        if file.name == "aws.csv":
            text = text.replace(",0.2016,", ",0.3016,")
            assert text != file.read_text()
        (tmp_path / file.name).write_text(text)
    found = judge(evidence(stack(TRIAL)), new_book=PriceBook(today=TODAY, folder=tmp_path))
    [dev] = found.stacks
    assert (dev.after.monthly.expected, dev.price_change.change.exact) == (Decimal("471.54"), Decimal("146.00"))
    assert (found.calm, found.passes) == (False, True)


def test_a_price_that_the_other_book_has_not_is_no_saving(judge, tmp_path: Path) -> None:
    for file in _FOLDER.glob("*.csv"):
        lines = file.read_text().splitlines(keepends=True)
        (tmp_path / file.name).write_text("".join(line for line in lines if ",0.2016," not in line))
    found = judge(evidence(stack(TRIAL)), new_book=PriceBook(today=TODAY, folder=tmp_path))
    prices = found.stacks[0].price_change
    assert (prices.change.direction, [item.urn for item in prices.newly_unpriced]) == (
        "cannot tell",
        [line.urn for line in prices.old.estimate.lines if line.sku == "m7i.xlarge"],
    )
    assert not found.calm


def test_a_damaged_book_judges_nothing(tmp_path: Path) -> None:
    (tmp_path / "aws.csv").write_text("")
    judge = Judge(book=PriceBook(today=TODAY, folder=tmp_path), pack=PACK, settings=Settings(), today=TODAY)
    with pytest.raises(DamagedBook):
        judge.judge(evidence(stack(TRIAL)), [])


def test_settings_of_the_pack_hold() -> None:
    judge = Judge(
        book=PriceBook(today=TODAY),
        pack=PACK,
        settings=Settings(levels={"required-labels": "advisory"}),
        today=datetime.date(2026, 11, 1),
    )
    found = judge.judge(evidence(stack(changed("shared", tags={}))), [])
    assert (found.passes, [item.found.rule.name for item in found.stacks[0].new_advice]) == (True, ["required-labels"])


def test_evidence_goes_through_a_file_unchanged() -> None:
    found = evidence(stack(TWICE))
    assert Evidence.model_validate_json(found.model_dump_json()) == found
    assert {LUSTRE, NODES, CLUSTER} <= {step["newState"]["type"] for step in found.stacks[0].plan["steps"]}


NETWORK = "gcp:compute/network:Network"
FINE = {
    "trial": TRIAL["trial"],
    "vpc": {"type": "aws:ec2/vpc:Vpc", "cidrBlock": "10.0.0.0/16", "tags": LABELS},
    "net": {"type": NETWORK, "routingMode": "REGIONAL"},
}
BAD = {**FINE, "net": {"type": NETWORK, "routingMode": "Bo`gus"}}
SAID = "'Bo`gus' is not one of ['GLOBAL', 'REGIONAL'] (compute.beta, Network)"


def judged(after: Resources) -> Judgement:
    judge = Judge(book=PriceBook(today=TODAY), pack=PACK, settings=Settings(), today=TODAY, ask=vendors.vendors_of)
    return judge.judge(evidence(stack(after, FINE)), [])


def test_a_refusal_is_advice_in_the_judge_s_words_and_holds_up_nothing() -> None:
    found = judged(BAD)
    text = comment(found)
    assert found.passes
    assert text.split("(advice)**\n\n")[1].splitlines()[0] == (
        f"- gcp in `dev`: `net` (`{NETWORK}`): `routingMode`: ``{SAID}``"
    )


def test_json_has_every_refusal() -> None:
    [dev] = json.loads(written(judgement_document(judged(BAD)), "json"))["stacks"]
    assert dev["vendors"] == {
        "refusals": [{"judge": "gcp", "resource": "net", "type": NETWORK, "path": "routingMode", "said": SAID}],
        "unheard": [],
    }


def test_a_plan_that_no_judge_refuses_stays_one_calm_sentence() -> None:
    assert comment(judged(FINE)).startswith("## gpucluster\n\n**No cost or policy change: ")


def test_a_missing_judge_is_in_the_json_and_not_in_the_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    there = bench.find_spec
    monkeypatch.setattr(bench, "find_spec", lambda name: None if name == "cfnlint" else there(name))
    found = judged(BAD)
    [dev] = json.loads(written(judgement_document(found), "json"))["stacks"]
    assert dev["vendors"]["unheard"] == ["aws: pip install 'cfn-lint>=1.58,<2'"]
    assert "cfn-lint" not in comment(found)
    assert "- gcp in `dev`: `net` (" in comment(found)


def test_without_any_judge_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "find_spec", lambda _: None)
    assert vendors.vendors_of(resources(net=(NETWORK, {"routingMode": "Bogus"}))) == vendors.Vendors(
        refusals=[], unheard=["gcp: pip install 'google-api-python-client>=2.202,<3'"]
    )


def test_a_plan_that_breaks_a_judge_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> object:
        raise RecursionError

    monkeypatch.setattr(vendors, "judged", broken)
    assert vendors.vendors_of(resources(net=(NETWORK, {}))).unheard == ["the judges failed: RecursionError"]


def test_a_refusal_knows_its_resource() -> None:
    [refusal] = vendors.vendors_of(resources(net=(NETWORK, {"mtu": "wide"}))).refusals
    assert (refusal.resource.name, refusal.remark) == (
        "net",
        Remark("mtu", "'wide' is not a number (compute.beta, Network)"),
    )
