"""Seeded mistakes on Azure, on the real engine against the simulated cloud: each stops the preview."""

from __future__ import annotations

import re

import pytest

from tests.policies.previews import Seeded, previewed

POOL = "azure-native:containerservice:AgentPool: train"

# What has no price leaves the budget open, and says so.
OPEN = {"not-known-yet", "budget-undecidable"}

pytestmark = [pytest.mark.engine, pytest.mark.slow]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Seeded(tmp_path_factory.mktemp("pool"), "azure")


def _but_prices(result, *left_open):
    """The same without findings about prices; of other rules only `left_open` leave anything open."""
    code, findings, output = result
    asking = re.findall(r"(\S+(?:(?:, | and )\S+)*) not evaluated: ", output)
    asked = {rule for rules in asking for rule in re.split(", | and ", rules)} - {"budget", "budget-ceiling"}
    assert asked == {*left_open}, output
    return code, [finding for finding in findings if finding[1] not in OPEN], output


def test_the_good_example_has_no_finding(project):
    code, findings, output = _but_prices(project.preview("none"))
    assert (code, findings) == (0, []), output


@pytest.mark.core
def test_the_seeded_mistakes_stop_one_preview_each_by_its_own_rule_alone_told_with_why_and_fix(project):
    code, findings, output = _but_prices(project.preview(*project.stopping))
    assert code != 0
    project.assert_told(findings, output)


@pytest.mark.core
def test_spot_is_told_and_stops_nothing(project):
    code, findings, output = _but_prices(project.preview("spot"))
    assert (code, findings) == (0, [("advisory", "training-pool-not-on-spot", POOL)]), output


def test_the_trial_of_this_repository_has_no_finding_but_its_own_daemons(own_project):
    # The cluster's own way out is among the ranges that reach its API, and has no address before it is made.
    code, findings, output = _but_prices(previewed(own_project, "azure-trial"), "control-plane-not-open")
    assert code == 0, output
    assert {(level, name) for level, name, _ in findings} <= {("advisory", "exemptions-in-use")}, output
    assert "control-plane-not-open not evaluated: ranges that reach its endpoint: 1 of 2 not known yet" in output
