"""Seeded mistakes on the real engine, against the simulated cloud: each stops the preview in its rule's name."""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys

import pytest

from tests.policies.previews import PACK, Seeded, findings_in

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Seeded(tmp_path_factory.mktemp("pool"), "aws")


def test_the_good_example_has_no_finding_at_all(project):
    code, findings, output = project.preview("none")
    assert (code, findings) == (0, []), output
    assert "✅ training@" in output


def test_the_seeded_mistakes_stop_one_preview_each_by_its_own_rule_alone_told_with_why_and_fix(project):
    code, findings, output = project.preview(*project.stopping)
    assert code != 0
    assert {level for level, *_ in findings} == {"mandatory"}, output
    project.assert_told(findings, output)


def test_a_plan_over_its_budget_is_stopped(project):
    code, findings, output = project.preview("budget")
    assert code != 0
    assert findings == [("mandatory", "budget", "example:index:Cluster: trial")], output
    assert "over budget by $" in output


def test_an_accepted_mistake_is_shown_and_stops_nothing(project):
    begun = datetime.date.today()
    code, findings, output = project.preview("accepted")
    assert (code, findings) == (0, [("advisory", "exemptions-in-use", "aws:eks:NodeGroup: train")]), output
    [until] = re.findall(r"accepted until (\S+) by ada: storage test, no collective traffic", output)
    days = [day + datetime.timedelta(days=30) for day in (begun, datetime.date.today())]
    assert until in map(str, days)


def test_what_cannot_be_decided_is_shown_and_stops_nothing(project):
    code, findings, output = project.preview("foreign-template")
    assert (code, {(level, policy) for level, policy, _ in findings}) == (0, {("advisory", "not-known-yet")}), output
    [asking] = re.findall(r"train: (\S.*) not evaluated: its launch template is not part of this stack", output)
    assert re.split(", | and ", asking) == [
        "training-pool-in-one-domain",
        "fabric-interfaces-complete",
        "fabric-traffic-allowed",
        "no-group-on-foreign-reservation",
        "training-pool-not-on-spot",
        "gpu-nodes-not-public",
        "disks-encrypted",
        "metadata-needs-token",
    ]
    assert "without a price: `train` (disks: its launch template is not part of this stack)" in output


@pytest.mark.parametrize(
    ("mistake", "policy", "what"),
    [
        ("efa-elsewhere", "not-known-yet", "its EFA interfaces have is not known yet"),
        ("spot", "training-pool-not-on-spot", "5 nodes of p5.48xlarge on spot capacity"),
        ("idle-reservation", "reservation-in-use", "and `template` starts p5.48xlarge outside of it"),
        ("nothing-stated", "not-checked", "no required labels / no budget stated: not checked"),
    ],
)
def test_an_advisory_finding_is_shown_once_and_stops_nothing(project, mistake, policy, what):
    code, findings, output = project.preview(mistake)
    assert (code, [(level, name) for level, name, _ in findings]) == (0, [("advisory", policy)]), output
    assert what in output


def test_a_plan_file_of_the_same_program_gives_the_same_finding(project):
    code, plan = project.pulumi("preview", "--json", "--show-sames", "-c", "pool:mistake=no-group")
    assert code == 0, plan
    command = [sys.executable, "-m", "gpucluster", "guardrails", "check", "--format", "json", "-"]
    text = plan[plan.index("{\n") : plan.rindex("}") + 1]
    done = subprocess.run(
        command, input=text, cwd=project.folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1, done.stderr
    findings = json.loads(done.stdout)["findings"]
    [finding] = [item for item in findings if item["enforcement"] == "mandatory"]
    assert (finding["rule"], finding["resource"], finding["what"]) == (
        "training-pool-in-one-domain",
        "train",
        "5 nodes of p5.48xlarge, no placement group and no reservation",
    )
    assert "__main__.py" in finding["source_position"]


def test_settings_of_the_pack_reach_the_rules(project):
    settings = {"required-labels": {"enforcementLevel": "advisory", "keys": ["cost-center"]}}
    (project.folder / "settings.json").write_text(json.dumps(settings))
    code, output = project.pulumi("preview", "--policy-pack", str(PACK), "--policy-pack-config", "settings.json")
    findings = findings_in(output)
    assert code == 0, output
    assert {(level, policy) for level, policy, _ in findings} == {("advisory", "required-labels")}
    assert findings == [("advisory", "required-labels", "aws:ec2:LaunchTemplate: template")]
    assert re.search(r"^ +.*\bnetwork\b.*: tags: `cost-center` missing$", output, re.MULTILINE), output


def test_an_update_stops_at_its_preview_and_makes_nothing(project):
    code, output = project.pulumi("up", "--yes", "--policy-pack", str(PACK), "-c", "pool:mistake=no-group")
    assert code != 0
    assert ("mandatory", "training-pool-in-one-domain", "aws:eks:NodeGroup: train") in findings_in(output)
    assert _made(project) == set()


def test_what_one_resource_answers_is_stopped_before_it_is_made_even_without_preview(tmp_path):
    project = Seeded(tmp_path, "aws")  # what is made before it stays
    code, output = project.pulumi(
        "up", "--yes", "--skip-preview", "--policy-pack", str(PACK), "-c", "pool:mistake=doubled-pair"
    )
    assert code != 0
    assert ("mandatory", "fabric-interfaces-valid", "aws:ec2:LaunchTemplate: template") in findings_in(output)
    made = _made(project)
    assert "aws:ec2/vpc:Vpc" in made
    assert "aws:ec2/launchTemplate:LaunchTemplate" not in made


def _made(project):
    """Types of the custom resources in the stack's state."""
    code, output = project.pulumi("stack", "export")
    assert code == 0, output
    deployment = json.loads(output[output.index("{\n") : output.rindex("}") + 1])["deployment"]
    return {r["type"] for r in deployment.get("resources", []) if r.get("custom") and "providers" not in r["type"]}
