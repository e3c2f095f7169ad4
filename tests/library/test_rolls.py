"""What an update of a program does to training nodes that run, in a cluster and in a pool alone, on the real engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Pools of two clouds by one name, and a change of what this project makes of the nodes where it is asked for.
PROGRAM = """\
import pulumi_aws
import pulumi_gcp

import gpucluster.components.aws.pools.training_pool as made
from gpucluster import aws, gcp

if {other}:
    made._placement = lambda *_: None
east = aws.Location(region="us-east-1", zone="us-east-1a")
aws.TrainingCluster(
    "trial",
    {{
        "training": {{"nodes": 4, "roll": {cluster}}},
        "storage": {{"shared": {{"usable_tib": 20}}}},
        "access": {{"kind": "public", "cidrs": ["198.18.0.0/24"]}},
        "labels": {{"team": {team!r}}},
        "duration": {duration!r},
    }},
    east,
)
vpc = aws.Network("vpc", east)
eks = pulumi_aws.eks.Cluster(
    "eks", role_arn="arn:aws:iam::123456789012:role/eks", vpc_config={{"subnet_ids": vpc.cluster_subnet_ids}}
)
aws.TrainingPool(
    "gpus",
    {{"training": {{"nodes": 2, "roll": {pool}}}, "labels": {{"team": {team!r}}}, "duration": {duration!r}}},
    east,
    cluster_name=eks.name,
    cluster_security_group_id=eks.vpc_config.cluster_security_group_id,
    vpc_id=vpc.vpc_id,
    subnet_id=vpc.{subnet},
)
accounts = [pulumi_gcp.serviceaccount.Account(name, account_id=name + "-nodes") for name in ("mine", "other")]
gke = pulumi_gcp.container.Cluster("gke", location="us-central1", initial_node_count=1, remove_default_node_pool=True)
gcp.TrainingPool(
    "gpus",
    {{"accelerator": "a100-40gb", "training": {{"nodes": 1, "roll": {pool}}}, "placement": {{"kind": "none"}}}},
    gcp.Location(project="my-project", region="us-central1", zone="us-central1-a"),
    cluster_name=gke.name,
    service_account=accounts[{account}].email,
)
"""
STANDING: dict[str, Any] = {
    "other": False,
    "cluster": False,
    "pool": False,
    "team": "research",
    "duration": "14d",
    "subnet": "gpu_subnet_id",
    "account": 0,
}
OTHER: dict[str, Any] = {**STANDING, "team": "another", "duration": "21d"}
PLACED: dict[str, Any] = {**STANDING, "other": True}
END = "revert the change, or write training.roll: true into the spec for this update"


@pytest.mark.engine
@pytest.mark.slow
def test_labels_and_duration_change_in_place_and_what_replaces_nodes_is_refused_until_the_spec_allows_it(
    sandbox: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "Pulumi.dev.yaml").write_text(
        "config: {aws:region: us-east-1, gcp:project: my-project, gcp:region: us-central1}\n"
    )

    def run(values: dict[str, Any], *command: str) -> Any:
        return sandbox(PROGRAM.format(**values), *command)

    up = run(STANDING, "up", "--yes", "--skip-preview")
    assert up.code == 0, up.text
    told = run(OTHER, "preview")
    assert (told.code, "jobs on them end" in told.text) == (0, False), told.text

    for values, pool, nodes, what in (
        (
            {**PLACED, "pool": True},
            "trial-training",
            "4 x p5.48xlarge, one at a time",
            "-template changes in placement",
        ),
        ({**PLACED, "cluster": True}, "gpus", "2 x p5.48xlarge, one at a time", "-template changes in placement"),
        (
            {**STANDING, "subnet": "cluster_subnet_ids[0]"},
            "gpus",
            "2 x p5.48xlarge, all at once",
            " changes in subnetId",
        ),
        ({**STANDING, "account": 1}, "gpus", "1 x a2-highgpu-8g, all at once", " changes in nodeAccount"),
    ):
        refused = run(values, "preview")
        assert refused.code != 0
        assert f"{pool}: replaces {nodes}; jobs on them end: {pool}{what}; {END}" in refused.text, refused.text
        assert "Traceback" not in refused.text
    refused = run(PLACED, "up", "--yes", "--skip-preview")
    assert (refused.code == 0, END in refused.text) == (False, True), refused.text

    rolled = run({**PLACED, "cluster": True, "pool": True}, "up", "--yes", "--skip-preview")
    assert rolled.code == 0, rolled.text
    for part in ("trial-training", "gpus"):
        assert "changes in placement; allowed by training.roll" in rolled.text.split(f"{part}: replaces ")[1]
    kept = run({**PLACED, "cluster": True, "pool": True}, "preview")
    assert (kept.code, "jobs on them end" in kept.text) == (0, False), kept.text
