"""Karpenter on the real engine: what the simulated cluster refuses, and the order in which things go."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.engine

PROGRAM = """
    import json
    import pulumi
    import pulumi_kubernetes as kubernetes
    from pulumi_aws import ec2, eks, iam
    from pulumi_kubernetes.apiextensions import CustomResource
    from pulumi_kubernetes.helm.v3 import Release

    config = pulumi.Config()
    vpc = ec2.Vpc("net", cidr_block="10.0.0.0/16")
    subnets = [
        ec2.Subnet(f"s{zone}", vpc_id=vpc.id, cidr_block=f"10.0.{at}.0/24", availability_zone=f"us-east-1{zone}")
        for at, zone in enumerate("ab")
    ]
    role = iam.Role("control", assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": []}))
    cluster = eks.Cluster("c", role_arn=role.arn, vpc_config={"subnet_ids": [subnet.id for subnet in subnets]})
    provider = kubernetes.Provider("api", kubeconfig=pulumi.Output.json_dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "it",
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        "clusters": [{"name": "it", "cluster": {"server": cluster.endpoint}}],
        "users": [{"name": "it", "user": {}}],
    }))

    def on(*before):
        return pulumi.ResourceOptions(provider=provider, depends_on=[item for item in before if item is not None])

    crd = chart = None
    if config.get("charts") != "none":
        crd = Release("crd", chart="oci://public.ecr.aws/karpenter/karpenter-crd", namespace="kube-system", opts=on())
        chart = Release("karpenter", chart="oci://public.ecr.aws/karpenter/karpenter", skip_crds=True,
                        namespace="kube-system", opts=on(crd))
    labels = {config.get("label") or "team": "ml"}
    CustomResource("pool", api_version="karpenter.sh/v1", kind="NodePool", metadata={"name": "elastic"},
                   spec={"template": {"metadata": {"labels": labels}}},
                   opts=on(chart if config.get("ordered") != "no" else crd))
"""


def deleted(output: str) -> list[str]:
    """Logical names in the order in which the engine reports them gone."""
    words = [line.split() for line in output.splitlines() if " deleted (" in line]
    return [line[line.index("deleted") - 1] for line in words]


def test_a_pool_without_its_definition_is_refused(project: Any) -> None:
    project.write(PROGRAM, **{"small:charts": "none"})
    assert 'no matches for kind "NodePool" in version "karpenter.sh/v1"' in project.refused("up", "--yes")


def test_a_pool_with_a_label_of_karpenters_own_is_refused(project: Any) -> None:
    project.write(PROGRAM, **{"small:label": "karpenter.sh/team"})
    assert 'label domain "karpenter.sh" is restricted' in project.refused("up", "--yes")


@pytest.mark.slow
def test_karpenter_goes_after_its_pool_and_before_its_definitions(project: Any) -> None:
    project.write(PROGRAM)
    project.pulumi("up", "--yes", "--skip-preview")
    gone = deleted(project.pulumi("destroy", "--yes", "--skip-preview"))
    assert [name for name in gone if name in ("pool", "karpenter", "crd", "c")] == ["pool", "karpenter", "crd", "c"]
    assert project.ledger() == []


@pytest.mark.slow
def test_a_destroy_that_takes_karpenter_before_its_pool_is_refused(project: Any) -> None:
    project.write(PROGRAM, **{"small:ordered": "no"})
    project.pulumi("up", "--yes", "--skip-preview")
    urn = next(entry.urn for entry in project.ledger() if entry.urn.endswith("::karpenter"))
    said = project.refused("destroy", "--yes", "--skip-preview", "--target", urn)
    assert "does not uninstall release kube-system/karpenter" in said
    assert "while NodePool elastic exists" in said
    assert {"pool", "karpenter"} <= {entry.urn.rsplit("::", 1)[-1] for entry in project.ledger()}
