"""Seeded mistakes on Google Cloud, on the real engine against the simulated cloud: each stops the preview."""

from __future__ import annotations

from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("google_project") / "__main__.py"
INSTALLER = ("advisory", "exemptions-in-use", "kubernetes:apps/v1:DaemonSet: installer")
POOL = "gcp:container:NodePool: train"

pytestmark = pytest.mark.engine


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


@pytest.mark.parametrize(
    ("mistake", "policy", "resource", "what"),
    [
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
        (
            "network-missing",
            "fabric-interfaces-complete",
            POOL,
            "5 nodes of a3-highgpu-8g with 3 of 4 additional networks",
        ),
        (
            "mtu",
            "fabric-interfaces-complete",
            POOL,
            "networks with another MTU than the 8244 that GPUDirect-TCPX takes: `gpu-2` has 1460",
        ),
        (
            "no-icmp",
            "fabric-traffic-allowed",
            POOL,
            "no firewall rule allows icmp from the subnets of GPU network `gpu-0`, `gpu-1`, `gpu-2`, `gpu-3`",
        ),
        (
            "reservation",
            "no-group-on-foreign-reservation",
            POOL,
            "a compact placement policy of its own together with reservation `h100`, which was made elsewhere",
        ),
        ("gpus", "accelerators-fit-machine", POOL, "4 of nvidia-h100-80gb; a3-highgpu-8g has 8 of nvidia-h100-80gb"),
        ("on-demand-1g", "purchase-fits-machine", POOL, "a3-highgpu-1g is sold as spot and flex-start only"),
        ("no-label", "required-labels", "gcp:container:Cluster: cluster", "labels: `team` missing"),
        (
            "bad-label",
            "label-values",
            "gcp:container:Cluster: cluster",
            "labels: value of `note` has ' ' at character 3; Google Cloud takes lower-case letters, digits, _ and -",
        ),
        ("budget", "budget", "example:index:Cluster: trial", "over budget by $"),
    ],
)
def test_a_seeded_mistake_stops_the_preview(preview, mistake, policy, resource, what):
    code, findings, output = preview(mistake)
    assert code != 0
    assert ("mandatory", policy, resource) in findings, output
    assert {name for level, name, _ in findings if level == "mandatory"} == {policy}, output
    assert what in output
    assert "          why: " in output
    assert "          fix: " in output


def test_a_privileged_container_that_is_none_of_the_fabrics_stops_the_preview(preview):
    code, findings, output = preview("privileged")
    assert code != 0
    assert findings == [("mandatory", "no-privileged-containers", "kubernetes:apps/v1:DaemonSet: installer")], output


def test_spot_is_told_and_stops_nothing(preview):
    code, findings, output = preview("spot")
    assert (code, sorted(findings)) == (0, sorted([INSTALLER, ("advisory", "training-pool-not-on-spot", POOL)])), output


def test_the_trial_of_this_repository_has_no_finding_but_the_fabrics_own_daemons(own_project, previewed):
    code, findings, output = previewed(own_project, "gcp-trial")
    assert code == 0, output
    assert findings == [
        ("advisory", "exemptions-in-use", f"kubernetes:apps/v1:DaemonSet: trial-fabric-{name}")
        for name in ("injector", "installer")
    ], output
