"""Seeded mistakes on Google Cloud, on the real engine against the simulated cloud: each stops the preview."""

from __future__ import annotations

from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("google_project") / "__main__.py"
INSTALLER = ("advisory", "exemptions-in-use", "kubernetes:apps/v1:DaemonSet: installer")
POOL = "gcp:container:NodePool: train"

MISTAKES = [
    (
        "no-policy",
        "training-pool-in-one-domain",
        POOL,
        "5 nodes of a3-highgpu-8g, no compact placement policy and no specific reservation",
    ),
    (
        "two-zones",
        "training-pool-in-one-zone",
        POOL,
        "2 nodes of a3-highgpu-8g in 2 zones: us-central1-a, us-central1-c",
    ),
    ("no-zone", "training-pool-in-one-zone", POOL, "3 nodes of a3-highgpu-8g over 3 zones that GKE chooses"),
    ("network-missing", "fabric-interfaces-complete", POOL, "5 nodes of a3-highgpu-8g with 3 of 4 additional networks"),
    (
        "mtu",
        "fabric-interfaces-complete",
        POOL,
        "a3-highgpu-8g: GPUDirect-TCPX requires MTU 8244; `mtu-gpu-2` has 1460",
    ),
    (
        "no-icmp",
        "fabric-traffic-allowed",
        POOL,
        "no firewall rule allows icmp from the subnets of GPU network "
        "`no-icmp-gpu-0`, `no-icmp-gpu-1`, `no-icmp-gpu-2`, `no-icmp-gpu-3`",
    ),
    (
        "reservation",
        "no-group-on-foreign-reservation",
        POOL,
        "a compact placement policy of its own together with reservation `h100`, which was created outside this stack",
    ),
    ("gpus", "accelerators-fit-machine", POOL, "4 of nvidia-h100-80gb; a3-highgpu-8g has 8 of nvidia-h100-80gb"),
    ("on-demand-1g", "purchase-fits-machine", POOL, "a3-highgpu-1g is sold as spot and flex-start only"),
    ("no-label", "required-labels", "gcp:container:Cluster: cluster", "labels: `team` missing"),
    (
        "bad-label",
        "label-values",
        "gcp:container:Cluster: cluster",
        "labels: value of `note` has ' ' at character 3; Google Cloud allows lower-case letters, digits, _ and -",
    ),
]
"""Mistake, policy, resource without the mistake's name, what is said."""

pytestmark = [pytest.mark.engine, pytest.mark.slow]


@pytest.fixture(scope="module")
def project(project_of):
    return project_of(PROGRAM, {"gcp:project": "training-trial", "gcp:region": "us-central1"})


@pytest.fixture
def preview(project, previewed):
    """Preview with the pack and one mistake."""
    return lambda mistake: previewed(project, "test", "-c", f"pool:mistake={mistake}")


def test_the_good_example_has_no_finding_but_the_fabrics_own_daemon(preview):
    code, findings, output = preview("none")
    assert (code, findings) == (0, [INSTALLER]), output
    assert "privileged container `nccl-tcpx-installer`; accepted by name: it copies the NCCL plugin" in output


@pytest.mark.core
def test_the_seeded_mistakes_stop_one_preview_each_by_its_own_rule_alone_told_with_why_and_fix(
    project, previewed, of_mistake, is_told
):
    """Each in a cluster of its own."""
    mistakes = " ".join(mistake for mistake, *_ in MISTAKES)
    code, findings, output = previewed(project, "test", "-c", f"pool:mistake={mistakes}")
    assert code != 0
    stops = [finding for finding in findings if finding[0] == "mandatory"]
    assert sorted(stops) == sorted(of_mistake(*found) for *found, _ in MISTAKES), output
    for *found, what in MISTAKES:
        is_told(output, of_mistake(*found), what)


def test_a_plan_over_its_budget_is_stopped(preview):
    code, findings, output = preview("budget")
    assert code != 0
    assert ("mandatory", "budget", "example:index:Cluster: trial") in findings, output
    assert {name for level, name, _ in findings if level == "mandatory"} == {"budget"}, output
    assert "over budget by $" in output


def test_a_privileged_container_that_is_none_of_the_fabrics_stops_the_preview(preview):
    code, findings, output = preview("privileged")
    assert code != 0
    assert findings == [("mandatory", "no-privileged-containers", "kubernetes:apps/v1:DaemonSet: installer")], output


@pytest.mark.core
def test_spot_is_told_and_stops_nothing(preview):
    code, findings, output = preview("spot")
    assert (code, sorted(findings)) == (0, sorted([INSTALLER, ("advisory", "training-pool-not-on-spot", POOL)])), output


def test_the_trial_of_this_repository_has_no_finding_but_what_may_have_the_machine(own_project, previewed):
    code, findings, output = previewed(own_project, "gcp-trial")
    assert code == 0, output
    assert findings == [
        ("advisory", "exemptions-in-use", f"kubernetes:{name}")
        for name in (
            "apps/v1:DaemonSet: trial-fabric-injector",
            "apps/v1:DaemonSet: trial-fabric-installer",
            "helm.sh/v3:Release: trial-monitoring-gpus-dcgm",
        )
    ], output
