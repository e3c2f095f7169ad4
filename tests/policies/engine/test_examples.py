"""The examples of the rules: what passes has no finding, and what fails has one."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys

from gpucluster.core.program.readers.files import read_file
from gpucluster.policies.engine.examples import example_of, plan_of
from gpucluster.policies.engine.rule import Changes
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.packs import TRAINING

NAMES = sorted(rule.name for rule in TRAINING.rules)


def _found(name: str, *, fails: bool) -> int:
    example = example_of(name)
    assert example is not None
    read = read_file(json.dumps(plan_of(example, fails=fails)), "example")
    changes = Changes(ended=read.ended, before=read.existing(), after=read.resources)
    outcomes = evaluate(TRAINING.rules, read.resources, changes, today=datetime.date(2026, 11, 21))
    [outcome] = [outcome for outcome in outcomes if outcome.rule.name == name]
    assert outcome.unknown == ()
    return len(outcome.violations)


def test_an_example_passes_and_its_change_fails():
    assert {name: (_found(name, fails=False), _found(name, fails=True)) for name in NAMES} == dict.fromkeys(
        NAMES, (0, 1)
    )


def test_a_rule_without_an_example_says_so():
    assert example_of("no-such-rule") is None


def test_the_command_prints_an_example_that_the_check_stops():
    """As the page of the rule says."""
    run = [sys.executable, "-m", "gpucluster", "guardrails"]
    told = subprocess.run(
        [*run, "explain", "training-pool-not-on-spot", "--example", "fail"], capture_output=True, text=True, check=True
    )
    check = [*run, "check", "--pack", "production", "--quiet"]
    done = subprocess.run(check, input=told.stdout, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (
        "training-pool-not-on-spot     mandatory  train\n    4 nodes of p5.48xlarge on spot capacity\n" in done.stdout
    )
