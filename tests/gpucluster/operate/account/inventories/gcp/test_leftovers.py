"""What a stack left in a project of Google Cloud, by a server made of Google's discovery documents."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused, api_off

Run = Callable[..., tuple[int, str]]
Left = Callable[..., tuple[int, list[dict[str, Any]]]]
LABELS = {"pulumi-project": "gpucluster", "pulumi-stack": "gcp-trial"}
PROJECT = "projects/my-project"
CLUSTER = f"//container.googleapis.com/{PROJECT}/locations/us-central1/clusters/trial-gcp-trial"
COMPUTE = f"//compute.googleapis.com/{PROJECT}"
URL = f"https://www.googleapis.com/compute/v1/{PROJECT}"
ZONE = "us-central1-b"
VPC = "trial-network-vpc-0a1b2c3"


def asset(kind: str, name: str, place: str, resource: Mapping[str, Any] | None = None, **labels: str) -> dict[str, Any]:
    more = {"versionedResources": [{"version": "v1", "resource": dict(resource)}]} if resource else {}
    return {"name": name, "assetType": kind, "location": place, "labels": {**LABELS, **labels}, **more}


def machine(name: str, **labels: str) -> dict[str, Any]:
    path = f"{URL}/zones/{ZONE}/machineTypes/a3-megagpu-8g"
    resource = {"machineType": path, "status": "RUNNING"}
    return asset(
        "compute.googleapis.com/Instance", f"{COMPUTE}/zones/{ZONE}/instances/{name}", ZONE, resource, **labels
    )


def disk(name: str, **labels: str) -> dict[str, Any]:
    resource = {"sizeGb": "500", "type": f"{URL}/zones/{ZONE}/diskTypes/pd-balanced"}
    return asset("compute.googleapis.com/Disk", f"{COMPUTE}/zones/{ZONE}/disks/{name}", ZONE, resource, **labels)


KEY = f"{PROJECT}/locations/us-central1/keyRings/trial/cryptoKeys/secrets"


def key(google: Google, *states: str) -> dict[str, Any]:
    google.answers["cloudkms.projects.locations.keyRings.cryptoKeys.cryptoKeyVersions.list"] = lambda _: {
        "cryptoKeyVersions": [{"state": state} for state in states]
    }
    return asset("cloudkms.googleapis.com/CryptoKey", f"//cloudkms.googleapis.com/{KEY}", "us-central1")


def assets(google: Google, *found: dict[str, Any]) -> None:
    """On pages of two."""

    def page(call: Call) -> dict[str, Any]:
        start = int(call.given.get("pageToken", 0))
        more = {"nextPageToken": str(start + 2)} if start + 2 < len(found) else {}
        return {"results": list(found[start : start + 2]), **more}

    google.answers["cloudasset.searchAllResources"] = page


def named(google: Google, **found: list[dict[str, Any]]) -> None:
    """By the kind: what the project has, ours or not."""
    google.answers |= {f"compute.{kind}.list": lambda _, items=items: {"items": items} for kind, items in found.items()}


def network(vpc: str = VPC, ending: str = "0a1b2c3") -> dict[str, list[dict[str, Any]]]:
    url, nats = f"{URL}/global/networks/{vpc}", [{"name": f"trial-network-nat-{ending}"}]
    return {
        "networks": [{"name": vpc, "peerings": [{"name": "servicenetworking-googleapis-com"}]}],
        "routers": [{"name": f"trial-network-router-{ending}", "network": url, "nats": nats}],
        "subnetworks": [{"name": f"trial-network-nodes-{ending}", "network": url}],
        "firewalls": [{"name": f"trial-storage-lustre-{ending}", "network": url}],
        "globalAddresses": [{"name": f"trial-network-private-range-{ending}", "network": url}],
        "resourcePolicies": [{"name": f"trial-training-placement-{ending}"}],
    }


def test_after_a_clean_destroy_nothing_is_left_though_google_keeps_a_key_without_versions(
    run: Run, google: Google
) -> None:
    assets(google, key(google, "DESTROYED", "DESTROY_SCHEDULED"))
    assert run("gcp-trial") == (0, "gcp-trial: nothing is left.\n")
    asked = next(call for call in google.calls if call.id == "cloudasset.searchAllResources")
    assert asked.given["scope"] == PROJECT
    assert asked.given["query"] == "labels.pulumi-project=gpucluster AND labels.pulumi-stack=gcp-trial"
    assert asked.headers["x-goog-user-project"] == "my-project"


def test_a_half_failed_destroy_is_told_in_an_order_that_works(run: Run, google: Google) -> None:
    node = {"goog-gke-node": "", "goog-k8s-cluster-name": "trial-gcp-trial"}
    assets(
        google,
        disk("pvc-1"),
        machine("gke-node-1", **node),
        disk("gke-node-1", **node),
        asset("container.googleapis.com/Cluster", CLUSTER, "us-central1"),
        key(google, "ENABLED"),
    )
    named(google, **network())
    code, text = run("gcp-trial")
    commands = [line.strip() for line in text.splitlines() if line.startswith("  g")]
    assert (code, commands) == (
        1,
        [
            "gcloud container clusters delete trial-gcp-trial --location=us-central1 --project=my-project",
            f"goes with {CLUSTER}",
            f"goes with {CLUSTER}",
            f"gcloud compute disks delete pvc-1 --zone={ZONE} --project=my-project",
            "gcloud compute routers nats delete trial-network-nat-0a1b2c3 --router=trial-network-router-0a1b2c3 "
            "--region=us-central1 --project=my-project",
            f"gcloud kms keys versions destroy VERSION --key={KEY}",
        ],
    ), text
    assert f"{COMPUTE}/zones/{ZONE}/disks/pvc-1\n  $1.64 a day\n" in text  # 500 GiB of $0.10 a month


def test_what_has_no_label_is_found_by_its_name_with_its_commands_in_order(left: Left, google: Google) -> None:
    theirs = network("trial-canary-network-vpc-0a1b2c3", "fffffff")
    own = network()
    named(google, **{kind: [*own[kind], *theirs[kind][:1], {"name": "office"}] for kind in ("networks",)},
          **{kind: own[kind] for kind in own if kind != "networks"})  # fmt: skip
    code, found = left("gcp-trial")
    end = "--project=my-project"
    assert (code, found[0]["cost"]) == (1, "$0.12 a day, and by use")
    assert [one["remove"] for one in found] == [
        f"gcloud compute routers nats delete trial-network-nat-0a1b2c3 --router=trial-network-router-0a1b2c3 "
        f"--region=us-central1 {end}",
        f"gcloud compute resource-policies delete trial-training-placement-0a1b2c3 --region=us-central1 {end}",
        f"gcloud compute routers delete trial-network-router-0a1b2c3 --region=us-central1 {end}",
        f"gcloud services vpc-peerings delete --network={VPC} --service=servicenetworking.googleapis.com {end}",
        f"gcloud compute firewall-rules delete trial-storage-lustre-0a1b2c3 {end}",
        f"gcloud compute addresses delete trial-network-private-range-0a1b2c3 --global {end}",
        f"gcloud compute networks subnets delete trial-network-nodes-0a1b2c3 --region=us-central1 {end}",
        f"gcloud compute networks delete {VPC} {end}",
    ]


def test_two_stacks_of_one_spec_in_a_project_are_kept_apart(run: Run, google: Google) -> None:
    """The cluster of the other one uses the network."""
    named(google, **network())
    pools = [{"placementPolicy": {"policyName": "trial-training-placement-0a1b2c3"}}]
    labels = {**LABELS, "pulumi-stack": "gcp-trial-canary"}
    other = {"name": "trial-gcp-trial-canary", "network": VPC, "resourceLabels": labels, "nodePools": pools}
    google.answers["container.projects.locations.clusters.list"] = lambda _: {"clusters": [other]}
    assert run("gcp-trial") == (0, "gcp-trial: nothing is left.\n")
    google.answers["container.projects.locations.clusters.list"] = lambda _: {
        "clusters": [{**other, "resourceLabels": LABELS}]
    }
    assert run("gcp-trial")[1].endswith("gcp-trial: 8 left, $0.12 a day\n")


def test_without_the_cluster_its_machines_have_commands_of_their_own(left: Left, google: Google) -> None:
    node = {"goog-gke-node": "", "goog-k8s-cluster-name": "trial-gcp-trial"}
    stopped = machine("off")
    stopped["versionedResources"][0]["resource"]["status"] = "TERMINATED"
    assets(google, machine("gke-node-1", **node), stopped)
    code, found = left("gcp-trial")
    assert code == 1
    assert [(one["remove"], one["usd_a_day"]) for one in found] == [
        (f"gcloud compute instances delete gke-node-1 --zone={ZONE} --project=my-project", "2241.60"),
        (f"gcloud compute instances delete off --zone={ZONE} --project=my-project", "0"),
    ]


@pytest.mark.parametrize(
    ("method", "refusal", "line"),
    [
        ("cloudasset.searchAllResources", api_off("cloudasset.googleapis.com"),
         "cloudasset.googleapis.com is not enabled; enable it, and ask again in a minute: `gcloud services enable "
         "cloudasset.googleapis.com --project=my-project`"),
        ("cloudasset.searchAllResources",
         Refused(403, "Permission 'cloudasset.assets.searchAllResources' denied on resource"),
         "you lack cloudasset.assets.searchAllResources; ask for a role that has cloudasset.assets.searchAllResources"),
        ("cloudasset.searchAllResources", Refused(429, "Quota exceeded"),
         "Google answers that there are too many requests (429); ask again in a minute"),
        ("compute.networks.list", Refused(401, "Request had invalid authentication credentials. Expected OAuth 2"),
         "login not accepted: Request had invalid authentication credentials; log in again: `gcloud auth "
         "application-default login`"),
        ("token", Refused(400, body={"error": "invalid_grant", "error_description": "Token has been expired."}),
         "login not accepted: Token has been expired; log in again: `gcloud auth application-default login`"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_clear_line(run: Run, google: Google, method: str, refusal: Refused, line: str) -> None:
    def refuse(_: Call) -> Any:
        raise refusal

    google.answers[method] = refuse
    assert run("gcp-trial") == (2, f"error: account: {line}\n")


def test_a_project_of_others_and_a_missing_login_are_said(
    run: Run, google: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Call) -> Any:
        raise Refused(403, "The caller does not have permission")

    google.answers["cloudresourcemanager.projects.get"] = refuse
    code, text = run("gcp-trial")
    assert (code, text.count("\n")) == (2, 1)
    assert text.startswith("error: account: ada@example.com cannot use the project my-project: ")
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS")
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setenv("CLOUDSDK_CONFIG", "/nowhere")
    assert run("gcp-trial") == (
        2, "error: account: there are no application default credentials; log in: `gcloud auth application-default "
        "login`\n"
    )  # fmt: skip


def test_no_answer_in_time_is_said(run: Run, google: Google, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucluster.operate.clients.gcp.client._SECONDS", (0.2, 0.2))
    google.slow = threading.Event()
    code, text = run("gcp-trial")
    google.slow.set()
    assert (code, text.count("\n")) == (2, 1)
    assert "does not answer; check the network and the proxy" in text
