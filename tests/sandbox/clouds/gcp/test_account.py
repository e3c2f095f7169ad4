"""Where things are, what they look like, and what cannot be deleted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError, Resource, UnansweredError
from gpucluster.sandbox.clouds.gcp.cloud import Gcp, GcpAccount, Settings
from gpucluster.sandbox.clouds.gcp.machines import VERSIONS, resolved
from gpucluster.sandbox.clouds.gcp.model import MODELS
from gpucluster.sandbox.clouds.outputs import before
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret

Create = Callable[..., Entry]
Asked = Callable[..., Resource]
Stage = Any

LINKS = "https://www.googleapis.com/compute/v1/"


def test_every_modelled_type_is_one_of_the_sdk(schemas: dict[str, Schema]) -> None:
    assert [token for token in MODELS if token not in schemas["gcp"].sdk.modules] == []


@pytest.mark.parametrize(
    ("settings", "token", "missing"),
    [
        (Settings(), "compute/network:Network", "project: .*set `gcp:project`"),
        (Settings(project="p"), "compute/router:Router", "region: .*set `gcp:region`"),
        (Settings(project="p"), "compute/resourcePolicy:ResourcePolicy", "region: .*set `gcp:region`"),
        (Settings(project="p", region="us-central1"), "compute/disk:Disk", "zone: .*set `gcp:zone`"),
        (Settings(project="p"), "container/cluster:Cluster", "location: .*set `gcp:region`"),
    ],
)
def test_a_place_that_nothing_names_is_refused(
    ledger: Ledger, create_in_gcp: Callable[..., Entry], settings: Settings, token: str, missing: str
) -> None:
    with pytest.raises(CloudError, match=missing):
        create_in_gcp(GcpAccount(ledger, settings), token, network="default", initialNodeCount=1)


@pytest.mark.parametrize(
    ("settings", "inputs", "id_"),
    [
        (Settings(project="p", region="us-central1"), {}, "projects/p/regions/us-central1/routers/r"),
        (Settings(project="p", zone="us-east4-a"), {}, "projects/p/regions/us-east4/routers/r"),
        (Settings(region="us-central1"), {"project": "own"}, "projects/own/regions/us-central1/routers/r"),
        (Settings(project="p", region="us-central1"), {"region": "us-west1"}, "projects/p/regions/us-west1/routers/r"),
        (
            Settings(project="p"),
            {"region": f"{LINKS}projects/p/regions/us-west1"},
            "projects/p/regions/us-west1/routers/r",
        ),
    ],
    ids=str,
)
def test_a_resource_is_where_it_says_or_else_where_its_provider_is(
    ledger: Ledger, create_in_gcp: Callable[..., Entry], settings: Settings, inputs: dict[str, str], id_: str
) -> None:
    made = create_in_gcp(GcpAccount(ledger, settings), "compute/router:Router", network="default", name="r", **inputs)
    assert (made.id, made.scope) == (id_, id_.split("/")[1])
    assert made.outputs["selfLink"] == f"{LINKS}{id_}"


def test_references_are_answered_as_self_links(create: Create) -> None:
    vpc = create("compute/network:Network", "n", name="n", autoCreateSubnetworks=False)
    made = create("compute/subnetwork:Subnetwork", "s", name="s", network=vpc.id, ipCidrRange="10.0.0.0/24")
    assert made.id == "projects/p/regions/us-central1/subnetworks/s"
    assert made.outputs["network"] == f"{LINKS}projects/p/global/networks/n"
    assert (made.outputs["gatewayAddress"], made.outputs["region"]) == ("10.0.0.1", "us-central1")


def test_what_the_provider_fills_in_is_among_the_inputs(account: GcpAccount, gcp: Asked) -> None:
    inputs = account.defaults(gcp("container/cluster:Cluster", name="c"), b"seed")
    assert inputs["deletionProtection"] is True
    assert inputs["network"] == "default"
    assert "deletionProtection" in inputs["__defaults"]


def test_a_preview_knows_the_project_and_what_it_was_told(account: GcpAccount, gcp: Asked) -> None:
    asked = gcp("compute/network:Network", name="n", mtu=8244)
    outputs = before(asked, account.known(asked))
    known = {name: value for name, value in outputs.items() if value is not UNKNOWN}
    assert known == {"name": "n", "mtu": 8244, "project": "p", "deletionPolicy": "DELETE"}


def test_a_preview_does_not_know_what_a_cluster_adds_to_its_inputs(account: GcpAccount, gcp: Asked) -> None:
    given = {"dnsEndpointConfig": {"allowExternalTraffic": True}}
    found = account.known(gcp("container/cluster:Cluster", name="c", controlPlaneEndpointsConfig=given))
    assert found["controlPlaneEndpointsConfig"] == {
        "dnsEndpointConfig": {"allowExternalTraffic": True, "endpoint": UNKNOWN}
    }
    assert "project" not in found


def test_a_cluster_has_two_endpoints_that_lead_nowhere_and_a_secret_key(stage: Stage) -> None:
    outputs = stage.cluster.outputs
    assert re.fullmatch(r"203\.0\.113\.\d+", outputs["endpoint"])
    dns = outputs["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"]
    assert re.fullmatch(r"gke-[0-9a-f]{38}-\d{12}\.us-central1\.gke\.sandbox\.invalid", dns)
    assert isinstance(outputs["masterAuth"]["clientKey"], Secret)
    assert outputs["masterVersion"] == VERSIONS[0]
    assert outputs["network"] == stage.vpc.id
    assert outputs["nodeLocations"] == ["us-central1-a", "us-central1-b", "us-central1-c"]


def test_two_clusters_never_share_an_endpoint(stage: Stage) -> None:
    given = {"location": "us-central1", "network": stage.vpc.id, "subnetwork": stage.nodes.id, "initialNodeCount": 1}
    made = [stage.create("container/cluster:Cluster", f"c{at}", **given) for at in range(40)]
    assert len({entry.outputs["endpoint"] for entry in made}) == 40


def test_a_cluster_reads_its_ranges_from_its_subnetwork(make_stage: Callable[..., Stage]) -> None:
    names = {"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "services"}
    outputs = make_stage(ipAllocationPolicy=names).cluster.outputs
    assert outputs["ipAllocationPolicy"]["clusterIpv4CidrBlock"] == "10.64.0.0/14"
    assert outputs["servicesIpv4Cidr"] == "10.1.0.0/20"


@pytest.mark.parametrize(
    ("wish", "there", "version"),
    [
        ("", "", VERSIONS[0]),
        ("latest", "", VERSIONS[0]),
        ("1.33.", "", "1.33.2-gke.4655000"),
        ("1.3", "", "1.3.0-gke.1"),
        ("1.31", "", "1.31.0-gke.1"),
        ("1.34.1-gke.5", "", "1.34.1-gke.5"),
        ("1.33.", "1.33.9-gke.1", "1.33.9-gke.1"),
        ("", "1.33.9-gke.1", "1.33.9-gke.1"),
    ],
)
def test_a_wish_for_a_version_comes_to_one(wish: str, there: str, version: str) -> None:
    assert resolved(wish, there) == version


def test_a_node_pool_takes_place_and_version_from_its_cluster(stage: Stage) -> None:
    outputs = stage.pool().outputs
    assert (outputs["location"], outputs["version"], outputs["nodeCount"]) == ("us-central1", VERSIONS[0], 2)
    assert outputs["nodeConfig"]["effectiveTaints"] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    ]
    (group,) = outputs["instanceGroupUrls"]
    assert group.startswith(f"{LINKS}projects/p/zones/us-central1-a/instanceGroupManagers/gke-c-pool-")


def test_with_a_cluster_go_its_pools_and_its_objects(account: GcpAccount, ledger: Ledger, stage: Stage) -> None:
    stage.pool()
    server = f"https://{stage.cluster.outputs['endpoint']}"
    namespace = "kubernetes:core/v1:Namespace"
    managed = Entry(
        provider="kubernetes", scope=server, type=namespace, id="a", name="a", urn="u", inputs={}, outputs={}
    )
    ledger.put(managed)
    assert account.delete(stage.cluster)
    left = {entry.type for entry in ledger.all()}
    assert left == {"gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork", "gcp:container/cluster:Cluster"}


@pytest.mark.parametrize(
    ("config", "failures"),
    [
        ({"region": "us-central1", "zone": "us-central1-a"}, []),
        ({"region": "europe-southwest1", "zone": "northamerica-northeast1-a"}, []),
        ({"region": "us-cental1", "zone": "us-cental1-a"}, ["region", "zone"]),
        ({"region": "us-central1-a"}, ["region"]),
        ({"zone": "us-central1"}, ["zone"]),
        ({"pulumiAttributionLabelAdditionStrategy": "NEVER"}, ["pulumiAttributionLabelAdditionStrategy"]),
    ],
    ids=str,
)
def test_settings_in_another_form_are_failures(config: dict[str, Any], failures: list[str]) -> None:
    assert [failure.path for failure in Gcp().check_config(config)] == failures


@pytest.mark.parametrize(
    ("token", "args", "name", "value"),
    [
        ("organizations/getClientConfig:getClientConfig", {}, "project", "p"),
        ("organizations/getProject:getProject", {"projectId": "q"}, "projectId", "q"),
        (
            "compute/getZones:getZones",
            {},
            "names",
            ["us-central1-a", "us-central1-b", "us-central1-c", "us-central1-f"],
        ),
        (
            "container/getEngineVersions:getEngineVersions",
            {"versionPrefix": "1.33."},
            "latestMasterVersion",
            "1.33.2-gke.4655000",
        ),
        ("storage/getProjectServiceAccount:getProjectServiceAccount", {}, "project", "p"),
        ("compute/getDefaultServiceAccount:getDefaultServiceAccount", {}, "project", "p"),
    ],
)
def test_a_data_source_answers_for_the_simulated_project(
    account: GcpAccount, token: str, args: dict[str, Any], name: str, value: Any
) -> None:
    assert account.invoke(f"gcp:{token}", args)[name] == value


def test_a_data_source_that_needs_an_account_says_so(account: GcpAccount) -> None:
    with pytest.raises(UnansweredError, match="gcp:compute/getImage:getImage"):
        account.invoke("gcp:compute/getImage:getImage", {})


def test_a_type_without_a_model_has_the_path_of_its_kind(create: Create) -> None:
    made = create("redis/instance:Instance", "cache", name="cache", memorySizeGb=1)
    assert made.id == "projects/p/redis/instances/cache"
    assert (made.outputs["project"], made.outputs["region"]) == ("p", "us-central1")


def test_a_name_of_the_programs_own_is_freed_before_a_replacement(account: GcpAccount, gcp: Asked) -> None:
    own = gcp("compute/network:Network", name="n")
    made = replace(own, old_inputs={"name": "n"})
    assert account.deletes_first(made)
    generated = account.defaults(gcp("compute/network:Network"), b"seed")
    assert not account.deletes_first(replace(own, inputs=generated, old_inputs=generated))


def test_the_name_of_a_key_ring_that_is_gone_from_the_state_is_never_given_again(
    ledger: Ledger, create_in_gcp: Create
) -> None:
    account = GcpAccount(ledger, Settings(project="p"))
    ring = create_in_gcp(account, "kms/keyRing:KeyRing", name="ring", location="us-central1")
    assert account.delete(ring)
    ledger.remove("gcp", "p", ring.type, ring.id)
    with pytest.raises(CloudError, match="keyRings/ring' already exists, alreadyExists"):
        create_in_gcp(account, "kms/keyRing:KeyRing", name="ring", location="us-central1")
    assert create_in_gcp(account, "kms/keyRing:KeyRing", name="other", location="us-central1")
