"""Seeded mistakes on the real engine, against the simulated cloud: each stops the preview in its rule's name."""

from __future__ import annotations

import datetime
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gpucluster.policies

PACK = Path(gpucluster.policies.__file__).parent
PROGRAM = Path(__file__).with_name("project") / "__main__.py"
FINDING = re.compile(r"^\s+- \[(\w+)\] \[severity: \w+\]\s+(\S+)\s+\((.*)\)$", re.MULTILINE)

MISTAKES = [
    (
        "no-group",
        "training-pool-in-one-domain",
        "aws:eks:NodeGroup: train",
        "5 nodes of p5.48xlarge, no placement group and no reservation",
    ),
    (
        "spread",
        "training-pool-in-one-domain",
        "aws:eks:NodeGroup: train",
        "5 nodes of p5.48xlarge in placement group `spread-group`, whose strategy is `spread`",
    ),
    (
        "two-zones",
        "training-pool-in-one-zone",
        "aws:eks:NodeGroup: train",
        "5 nodes of p5.48xlarge over 2 subnets in 2 zones: us-east-1a, us-east-1b",
    ),
    (
        "card-missing",
        "fabric-interfaces-complete",
        "aws:eks:NodeGroup: train",
        "5 nodes of p5.48xlarge with EFA on 31 of 32 network cards; missing on card 31",
    ),
    (
        "doubled-pair",
        "fabric-interfaces-valid",
        "aws:ec2:LaunchTemplate: template",
        "2 interfaces with card 7 device 0; each pair must be unique",
    ),
    (
        "no-egress",
        "fabric-traffic-allowed",
        "aws:eks:NodeGroup: train",
        "the security group of the EFA interfaces allows traffic from itself in one direction only: `no-egress-efa` "
        "lacks egress",
    ),
    (
        "reservation",
        "no-group-on-foreign-reservation",
        "aws:ec2:LaunchTemplate: template",
        "placement group `reservation-group` together with reservation `cr-0123456789abcdef0`, which was created "
        "outside this stack, so not in a group of this stack",
    ),
    ("no-label", "required-labels", "aws:ec2:LaunchTemplate: template", "tags: `team` missing"),
    (
        "bad-label",
        "label-values",
        "aws:ec2:LaunchTemplate: template",
        "tags: value of `note` has '%' at character 4; AWS allows letters, digits, spaces and + - = . _ : / @",
    ),
    (
        "node-label",
        "label-values",
        "aws:eks:NodeGroup: train",
        "labels of the nodes it starts: key `kubernetes.io/pool` is in a domain that Kubernetes reserves",
    ),
    (
        "split-pool",
        "training-pool-in-one-zone",
        "aws:eks:NodeGroup: train-0",
        "2 nodes of p5.48xlarge (`split-pool-train-0`, `split-pool-train-1`) over 2 subnets in 2 zones: "
        "us-east-1a, us-east-1b",
    ),
]
"""Mistake, policy, resource without the mistake's name, what is said."""

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project of its own, outside the checkout."""
    folder = tmp_path_factory.mktemp("pool")
    shutil.copy(PROGRAM, folder / "__main__.py")
    runtime = {"name": "python", "options": {"virtualenv": sys.prefix}}
    (folder / "Pulumi.yaml").write_text(json.dumps({"name": "pool", "runtime": runtime}))
    (folder / "Pulumi.test.yaml").write_text(json.dumps({"config": {"aws:region": "us-east-1"}}))
    return folder


@pytest.fixture
def pulumi(project):
    """Run `gpucluster sandbox pulumi`; returns exit code and output."""

    def run(*arguments):
        command = [sys.executable, "-m", "gpucluster", "sandbox", "pulumi", *arguments, "--stack", "test"]
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.fixture
def preview(pulumi):
    """Preview with the pack and one mistake; returns exit code, findings (level, policy, resource) and output."""

    def run(mistake):
        code, output = pulumi("preview", "--policy-pack", str(PACK), "-c", f"pool:mistake={mistake}")
        return code, FINDING.findall(output), output

    return run


def test_the_good_example_has_no_finding_at_all(preview):
    code, findings, output = preview("none")
    assert (code, findings) == (0, []), output
    assert "✅ training@" in output


def test_the_seeded_mistakes_stop_one_preview_each_by_its_own_rule_alone_told_with_why_and_fix(
    project, previewed, of_mistake, is_told
):
    """Each in a cluster of its own."""
    mistakes = " ".join(mistake for mistake, *_ in MISTAKES)
    code, findings, output = previewed(project, "test", "-c", f"pool:mistake={mistakes}")
    assert code != 0
    stops = [finding for finding in findings if finding[0] == "mandatory"]
    assert sorted(stops) == sorted(of_mistake(*found) for *found, _ in MISTAKES), output
    assert stops == findings
    for *found, what in MISTAKES:
        is_told(output, of_mistake(*found), what)


def test_a_plan_over_its_budget_is_stopped(preview):
    code, findings, output = preview("budget")
    assert code != 0
    assert findings == [("mandatory", "budget", "example:index:Cluster: trial")], output
    assert "over budget by $" in output


def test_an_accepted_mistake_is_shown_and_stops_nothing(preview):
    begun = datetime.date.today()
    code, findings, output = preview("accepted")
    assert (code, findings) == (0, [("advisory", "exemptions-in-use", "aws:eks:NodeGroup: train")]), output
    [until] = re.findall(r"accepted until (\S+) by ada: storage test, no collective traffic", output)
    days = [day + datetime.timedelta(days=30) for day in (begun, datetime.date.today())]
    assert until in map(str, days)


def test_what_cannot_be_decided_is_shown_and_stops_nothing(preview):
    code, findings, output = preview("foreign-template")
    assert (code, {(level, policy) for level, policy, _ in findings}) == (0, {("advisory", "not-known-yet")}), output
    [asking] = re.findall(r"(\S.*) cannot tell: its launch template is not part of this stack", output)
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
def test_an_advisory_finding_is_shown_once_and_stops_nothing(preview, mistake, policy, what):
    code, findings, output = preview(mistake)
    assert (code, [(level, name) for level, name, _ in findings]) == (0, [("advisory", policy)]), output
    assert what in output


def test_a_plan_file_of_the_same_program_gives_the_same_finding(pulumi, project):
    code, plan = pulumi("preview", "--json", "--show-sames", "-c", "pool:mistake=no-group")
    assert code == 0, plan
    command = [sys.executable, "-m", "gpucluster", "guardrails", "check", "--format", "json", "-"]
    text = plan[plan.index("{\n") : plan.rindex("}") + 1]
    done = subprocess.run(command, input=text, cwd=project, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    findings = json.loads(done.stdout)["findings"]
    [finding] = [item for item in findings if item["enforcement"] == "mandatory"]
    assert (finding["rule"], finding["resource"], finding["what"]) == (
        "training-pool-in-one-domain",
        "train",
        "5 nodes of p5.48xlarge, no placement group and no reservation",
    )
    assert "__main__.py" in finding["source_position"]


def test_settings_of_the_pack_reach_the_rules(pulumi, project):
    settings = {"required-labels": {"enforcementLevel": "advisory", "keys": ["cost-center"]}}
    (project / "settings.json").write_text(json.dumps(settings))
    code, output = pulumi("preview", "--policy-pack", str(PACK), "--policy-pack-config", "settings.json")
    findings = FINDING.findall(output)
    assert code == 0, output
    assert {(level, policy) for level, policy, _ in findings} == {("advisory", "required-labels")}
    assert ("advisory", "required-labels", "aws:ec2:Vpc: network") in findings


def test_an_update_stops_at_its_preview_and_makes_nothing(pulumi):
    code, output = pulumi("up", "--yes", "--policy-pack", str(PACK), "-c", "pool:mistake=no-group")
    assert code != 0
    assert ("mandatory", "training-pool-in-one-domain", "aws:eks:NodeGroup: train") in FINDING.findall(output)
    assert _made(pulumi) == set()


def test_what_one_resource_answers_is_stopped_before_it_is_made_even_without_preview(pulumi):
    code, output = pulumi(
        "up", "--yes", "--skip-preview", "--policy-pack", str(PACK), "-c", "pool:mistake=doubled-pair"
    )
    assert code != 0
    assert ("mandatory", "fabric-interfaces-valid", "aws:ec2:LaunchTemplate: template") in FINDING.findall(output)
    made = _made(pulumi)
    assert "aws:ec2/vpc:Vpc" in made
    assert "aws:ec2/launchTemplate:LaunchTemplate" not in made


def _made(pulumi):
    """Types of the custom resources in the stack's state."""
    code, output = pulumi("stack", "export")
    assert code == 0, output
    deployment = json.loads(output[output.index("{\n") : output.rindex("}") + 1])["deployment"]
    return {r["type"] for r in deployment.get("resources", []) if r.get("custom") and "providers" not in r["type"]}
