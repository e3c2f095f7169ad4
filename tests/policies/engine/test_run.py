"""A crash, an unknown and an exemption each leave a result of their own."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import pytest

from gpucluster.policies.engine.rule import CannotTell, ResourceRule, Severity, StackRule, Violation
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.rules import not_known_yet
from tests.says import Says

SECRET = "hunter2"


def _stack_rule(check):
    return StackRule(name="r", title="t", why="w", fix="f", reads="x", severity=Severity.LOW, check=check)


def _crash_after_a_finding(_):
    yield Violation(None, "found before the crash")
    raise ValueError(SECRET)


def _evaluate(program, *rules):
    return evaluate(rules, program.stack().resources, today=program.today)


def test_a_crash_is_a_violation_of_that_rule_and_keeps_what_it_found(program):
    [outcome] = _evaluate(program, _stack_rule(_crash_after_a_finding))
    found, crash = outcome.violations
    assert found.what == "found before the crash"
    assert re.fullmatch(r"rule failed: ValueError in test_run\.py, line \d+", crash.what)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (None, "its check returns NoneType; yield a Violation or CannotTell for each problem"),
        (["text"], "it yields a str; yield a Violation or CannotTell"),
        ([Violation("name", "x")], "its Violation needs a Resource or None, and a text that says what is wrong"),  # pyright: ignore[reportArgumentType]
        ([CannotTell(None, " ")], "its CannotTell needs a Resource or None, and a text that says what is wrong"),
    ],
)
def test_what_is_no_finding_fails_the_rule(program, given, what):
    [outcome] = _evaluate(program, _stack_rule(lambda _: given))
    assert [one.what for one in outcome.violations] == [f"rule failed: {what}"]


def test_a_rule_of_a_company_that_ends_or_prints_stops_nothing(program, capsys):
    def ends(_):
        print("hello")
        sys.exit(3)

    [outcome] = _evaluate(program, replace(_stack_rule(ends), folder="acme"))
    assert [one.what for one in outcome.violations] == [Says("rule failed: SystemExit in test_run.py")]
    assert capsys.readouterr() == ("", "hello\n")


def test_a_crash_never_prints_the_text_of_the_error(program):
    [outcome] = _evaluate(program, _stack_rule(_crash_after_a_finding))
    assert SECRET not in str(outcome)


def test_the_other_rules_run_after_a_crash(program):
    crash = _stack_rule(_crash_after_a_finding)
    fine = _stack_rule(lambda _: [Violation(None, "fine")])
    assert [v.what for v in _evaluate(program, crash, fine)[1].violations] == ["fine"]


def test_a_check_that_treats_an_unknown_as_true_crashes_in_its_own_name(program):
    program["group"]["strategy"] = program.unknown

    def careless(stack):
        return [Violation(r, "on") for r in stack.resources if r.inputs.get("strategy")]

    [outcome] = _evaluate(program, _stack_rule(careless))
    assert outcome.violations[-1].what.startswith("rule failed: TypeError in resources.py")


def test_a_crash_on_one_resource_leaves_the_others(program):
    def check(resource):
        if resource.name == "group":
            raise KeyError(SECRET)
        return [Violation(resource, "seen")]

    rule = ResourceRule(name="r", title="t", why="w", fix="f", reads="x", severity=Severity.LOW, check=check)
    [outcome] = _evaluate(program, rule)
    assert len([v for v in outcome.violations if v.what == "seen"]) == len(program.stack().resources) - 1
    assert len([v for v in outcome.violations if v.what.startswith("rule failed: KeyError")]) == 1


def test_what_a_rule_cannot_tell_is_told_by_the_shared_advisory_rule(program):
    open_question = _stack_rule(lambda stack: [CannotTell(next(iter(stack.resources)), "the moon is not known yet")])
    undecided, told = _evaluate(program, open_question, not_known_yet.RULE)
    assert undecided.violations == ()
    assert [(v.resource.name, v.what) for v in told.violations] == [
        ("trial", "r not evaluated: the moon is not known yet")
    ]


def test_one_question_about_many_resources_is_one_line(program):
    open_question = _stack_rule(lambda stack: [CannotTell(r, "the moon is not known yet") for r in stack.resources])
    _, told = _evaluate(program, open_question, not_known_yet.RULE)
    assert [v.what for v in told.violations] == [
        Says("not", "evaluated", "gpu-subnet", "efa-ingress", "efa-egress", "4", "more")
    ]
