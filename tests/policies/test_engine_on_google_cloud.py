"""Seeded mistakes on Google Cloud, on the real engine against the simulated cloud: each stops the preview."""

from __future__ import annotations

import pytest

from tests.policies.previews import Seeded, previewed

INSTALLER = ("advisory", "exemptions-in-use", "kubernetes:apps/v1:DaemonSet: installer")
POOL = "gcp:container:NodePool: train"

pytestmark = [pytest.mark.engine, pytest.mark.slow]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Seeded(tmp_path_factory.mktemp("pool"), "gcp")


def test_the_good_example_has_no_finding_but_the_fabrics_own_daemon(project):
    code, findings, output = project.preview("none")
    assert (code, findings) == (0, [INSTALLER]), output
    assert "privileged container `nccl-tcpx-installer`; accepted by name: it copies the NCCL plugin" in output


@pytest.mark.core
def test_the_seeded_mistakes_stop_one_preview_each_by_its_own_rule_alone_told_with_why_and_fix(project):
    code, findings, output = project.preview(*project.stopping)
    assert code != 0
    project.assert_told(findings, output)


def test_a_plan_over_its_budget_is_stopped(project):
    code, findings, output = project.preview("budget")
    assert code != 0
    assert ("mandatory", "budget", "example:index:Cluster: trial") in findings, output
    assert {name for level, name, _ in findings if level == "mandatory"} == {"budget"}, output
    assert "over budget by $" in output


def test_a_privileged_container_that_is_none_of_the_fabrics_stops_the_preview(project):
    code, findings, output = project.preview("privileged")
    assert code != 0
    assert findings == [("mandatory", "no-privileged-containers", "kubernetes:apps/v1:DaemonSet: installer")], output


@pytest.mark.core
def test_spot_is_told_and_stops_nothing(project):
    code, findings, output = project.preview("spot")
    assert (code, sorted(findings)) == (0, sorted([INSTALLER, ("advisory", "training-pool-not-on-spot", POOL)])), output


def test_the_trial_of_this_repository_has_no_finding_and_its_own_daemons_are_counted(own_project):
    code, findings, output = previewed(own_project, "gcp-trial")
    assert (code, findings) == (0, []), output
    assert "training: 3 daemons and roles of the clusters themselves not evaluated" in output
