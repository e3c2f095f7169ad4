"""Google Cloud on the real engine: up, no changes, update, replacement, destroy."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.engine

PROGRAM = """
    import json
    import pulumi
    import pulumi_kubernetes as kubernetes
    from pulumi_gcp import compute, container, serviceaccount, storage

    config = pulumi.Config()
    vpc = compute.Network("Trial-VPC", auto_create_subnetworks=False, mtu=8244)
    nodes = compute.Subnetwork("nodes", network=vpc.id, ip_cidr_range=config.get("nodes") or "10.0.0.0/20")
    account = serviceaccount.Account("trial-nodes")
    cluster = container.Cluster(
        "trial", location="us-central1", network=vpc.id, subnetwork=nodes.id, initial_node_count=1,
        remove_default_node_pool=True, deletion_protection=config.get("protected") == "yes",
        resource_labels={"team": "ml"},
        control_plane_endpoints_config={"dns_endpoint_config": {"allow_external_traffic": True}},
    )
    pool = container.NodePool(
        "pool", cluster=cluster.id, node_locations=["us-central1-a"], node_count=config.get_int("nodes_count") or 1,
        node_config={"machine_type": "e2-standard-4", "service_account": account.email},
    )
    storage.Bucket("data", location="us-central1")
    name = cluster.control_plane_endpoints_config.apply(lambda c: c.dns_endpoint_config.endpoint)
    for way, host in (("name", name), ("address", cluster.endpoint)):
        api = kubernetes.Provider(way, kubeconfig=host.apply(lambda host: json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
            "clusters": [{"name": "it", "cluster": {"server": f"https://{host}"}}],
            "users": [{"name": "it", "user": {"exec": {
                "apiVersion": "client.authentication.k8s.io/v1beta1", "command": "gke-gcloud-auth-plugin",
            }}}],
        })))
        kubernetes.core.v1.Namespace(way, metadata={"name": way}, opts=pulumi.ResourceOptions(provider=api))
    pulumi.export("labels", cluster.effective_labels)
    pulumi.export("network", nodes.network)
    pulumi.export("name", vpc.name)
"""
SETTINGS = {"gcp:project": "my-project", "gcp:region": "us-central1"}


@pytest.mark.slow
def test_a_program_goes_up_changes_and_leaves_nothing(project: Any) -> None:
    project.write(PROGRAM, **SETTINGS)
    planned = project.pulumi("preview")
    assert "labels : [secret]" in planned
    assert "network: [unknown]" in planned
    project.pulumi("up --yes --skip-preview")
    project.pulumi("preview --expect-no-changes")
    project.pulumi("refresh --yes --skip-preview --expect-no-changes")

    network = project.outputs()["network"]
    name = project.outputs()["name"]
    assert network == f"https://www.googleapis.com/compute/v1/projects/my-project/global/networks/{name}"
    assert name.startswith("trial-vpc-")
    namespaces = [entry for entry in project.ledger() if entry.provider == "kubernetes"]
    assert {entry.name for entry in namespaces} == {"name", "address"}
    assert len({entry.scope for entry in namespaces}) == 1

    project.write(PROGRAM, **SETTINGS, **{"small:nodes_count": "2", "small:nodes": "10.0.0.0/19"})
    assert project.plan() == {"nodes": "update", "pool": "update"}
    project.write(PROGRAM, **{**SETTINGS, "gcp:region": "us-east4"})
    assert project.plan() == {}

    project.pulumi("destroy --yes --skip-preview")
    assert project.ledger() == []


@pytest.mark.slow
def test_what_the_api_refuses_fails_the_update_and_keeps_the_rest(project: Any) -> None:
    project.write(PROGRAM, **SETTINGS, **{"small:protected": "yes"})
    project.pulumi("up --yes --skip-preview")
    said = project.refused("destroy --yes --skip-preview")
    assert "Cannot destroy cluster trial-" in said
    assert "because deletion_protection is set to true" in said
    assert "gcp:container/cluster:Cluster" in {entry.type for entry in project.ledger()}


def test_a_program_without_a_project_is_told_where_to_set_it(project: Any) -> None:
    project.write("from pulumi import CustomResource\nCustomResource('gcp:compute/network:Network', 'n', {})\n")
    said = project.refused("preview")
    assert "project: required field is not set; set `gcp:project` in the stack's file" in said
    assert "Traceback" not in said
