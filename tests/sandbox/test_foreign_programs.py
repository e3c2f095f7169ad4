"""Programs with providers that the sandbox does not simulate: they preview, and what is made up is said."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from tests.says import Says

from .conftest import PROJECT, PulumiProject

pytestmark = pytest.mark.engine

_SDK = """
    import pulumi

    class Basket(pulumi.CustomResource):
        def __init__(self, name, opts=None, *, apples=None):
            args = {"apples": apples, "weight": None}
            super().__init__("fruit:index:Basket", name, args, opts)

        @property
        @pulumi.getter
        def apples(self) -> pulumi.Output[int]:
            return pulumi.get(self, "apples")

        @property
        @pulumi.getter
        def weight(self) -> pulumi.Output[str]:
            return pulumi.get(self, "weight")

    class BasketArgs:
        def __init__(__self__, *, apples: pulumi.Input[int]):
            pass

        @property
        @pulumi.getter
        def apples(self) -> pulumi.Input[int]:
            return None

    class Market(pulumi.ComponentResource):
        def __init__(self, name, opts=None):
            super().__init__("fruit:index:Market", name, {"address": None}, opts, remote=True)

        @property
        @pulumi.getter
        def address(self) -> pulumi.Output[str]:
            return pulumi.get(self, "address")

    class MarketArgs:
        def __init__(__self__):
            pass
"""
_FUNCTION = """
    import pulumi

    class GetPriceResult:
        @property
        @pulumi.getter
        def id(self) -> str:
            return ""

        @property
        @pulumi.getter
        def kinds(self) -> Sequence[str]:
            return []

        @property
        @pulumi.getter
        def fruit(self) -> str:
            return ""

    def get_price(fruit):
        return pulumi.runtime.invoke('fruit:index:getPrice', {"fruit": fruit}).value
"""
_REGISTRY = """
    from .basket import *
    from .get_price import get_price

    REGISTRY = dict(
        resource_modules=\"\"\"[{"pkg": "fruit", "mod": "index", "fqn": "pulumi_fruit",
        "classes": {"fruit:index:Basket": "Basket", "fruit:index:Market": "Market"}}]\"\"\",
    )
"""
_PROGRAM = """
    import pulumi
    import pulumi_fruit as fruit
    import pulumi_kubernetes as kubernetes
    from pulumi.dynamic import CreateResult, Resource, ResourceProvider

    class Mine(ResourceProvider):
        def create(self, props):
            raise RuntimeError("is run")

    price = fruit.get_price("pear")
    basket = fruit.Basket("basket", apples=3)
    market = fruit.Market("market")
    class Thing(Resource):
        def __init__(self, name, kinds):
            super().__init__(Mine(), name, {"kinds": kinds})

    Thing("mine", price["kinds"])
    kubernetes.core.v1.ConfigMap("map", metadata={"namespace": "theirs"}, data={"fruit": price["fruit"]})
    pulumi.export("apples", basket.apples)
    pulumi.export("weight", basket.weight)
    pulumi.export("address", market.address)
    pulumi.export("asked", price["fruit"])
"""


@pytest.fixture
def bare(project: PulumiProject) -> PulumiProject:
    """In the environment of the tests."""
    (project.root / "Pulumi.yaml").write_text(PROJECT.format(virtualenv=sys.prefix))
    return project


def _environment(project: PulumiProject) -> Path:
    """Gives the project an environment, in which packages come before those of the tests; returns their folder."""
    packages = project.root / "venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    ours = Path(sysconfig.get_path("purelib"))
    for name in ("pulumi", "pulumi_kubernetes"):
        (packages / name).symlink_to(ours / name)
    (packages / "ours.pth").write_text(f"{ours}\n")
    (project.root / "venv" / "bin").mkdir()
    python = project.root / "venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (project.root / "Pulumi.yaml").write_text(
        "name: small\nruntime:\n  name: python\n  options: {virtualenv: venv}\nmain: stacks/\nstackConfigDir: stacks/\n"
    )
    return packages


@pytest.fixture
def project(project: PulumiProject) -> PulumiProject:
    """With an environment of its own, which has this SDK beside ours."""
    packages = _environment(project)
    sdk = packages / "pulumi_fruit"
    sdk.mkdir(parents=True)
    (sdk / "pulumi-plugin.json").write_text('{"resource": true, "name": "fruit"}')
    for name, text in (("__init__", _REGISTRY), ("basket", _SDK), ("get_price", _FUNCTION)):
        (sdk / f"{name}.py").write_text("from __future__ import annotations\n" + dedent(text))
    project.write(_PROGRAM)
    return project


@pytest.mark.slow
def test_what_is_not_simulated_is_kept_as_its_sdk_declares_it_and_said(project: PulumiProject) -> None:
    preview = project.pulumi("preview")
    assert "has no simulation of the provider 'fruit'" in preview
    assert "the answer of fruit:index:getPrice is made up" in preview
    assert "fruit:index:Market is a program of its own" in preview
    assert "the kubernetes provider has no kubeconfig" in preview
    project.pulumi("up --yes --skip-preview")
    outputs = project.outputs()
    assert outputs == {"apples": 3, "weight": "", "address": "", "asked": "pear"}
    assert "5 unchanged" in project.pulumi("preview")
    project.pulumi("destroy --yes --skip-preview")


_TERRAFORM = """
    import pulumi_hcl as hcl

    groups = {"train": {"instance_types": ["p5.48xlarge"], "desired_size": 8}}
    hcl.Module("gpus", source="terraform-aws-modules/eks/aws", version="20.0.0",
               inputs={"eks_managed_node_groups": groups})
"""
_CERTIFICATES = """
    import pulumi_kubernetes_cert_manager as certificates

    certificates.CertManager("certificates", install_crds=True)
"""
_EARLIER = """
    import pulumi_awsx as awsx
    import pulumi_eks as eks

    vpc = awsx.ec2.Vpc("net", number_of_availability_zones=2)
    cluster = eks.Cluster("train", vpc_id=vpc.vpc_id, private_subnet_ids=vpc.private_subnet_ids,
                          skip_default_node_group=True)
    eks.ManagedNodeGroup("gpus", cluster=cluster, node_role_arn="arn:aws:iam::000000000000:role/nodes",
                         instance_types=["p5.48xlarge"])
"""
_UNREAD = ["gpu-machines-unread", "price-known"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("packages", "program", "components", "rules"),
    [
        (["pulumi-hcl==0.18.4"], _TERRAFORM, ["hcl:index:Module"], _UNREAD),
        (
            ["pulumi-kubernetes-cert-manager==0.2.0"],
            _CERTIFICATES,
            ["kubernetes-cert-manager:index:CertManager"],
            [],
        ),
        (
            ["pulumi-eks==3.9.1", "pulumi-awsx==2.22.0", "pulumi-aws==6.83.4"],
            _EARLIER,
            ["awsx:ec2:Vpc", "eks:index:Cluster", "eks:index:ManagedNodeGroup"],
            _UNREAD,
        ),
    ],
    ids=["a module of Terraform", "cert-manager", "eks and awsx of the major version before"],
)
def test_component_packages_of_others_preview_and_their_gpu_machines_are_named(
    project: PulumiProject, tmp_path: Path, packages: list[str], program: str, components: list[str], rules: list[str]
) -> None:
    """Each with its packages from PyPI, in the project's environment."""
    into = project.root / "venv" / "lib" / "python3.11" / "site-packages"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(into), *packages]
    subprocess.run(install, check=True, capture_output=True)
    project.write(program)
    preview = project.pulumi("preview")
    assert [one for one in components if f"{one} is a program of its own" not in preview] == []
    (plan := tmp_path / "plan.json").write_text(project.pulumi("preview --json --show-sames"))
    report = json.loads(CliRunner().invoke(main, ["guardrails", "check", "--format", "json", str(plan)]).output)
    assert sorted({one["rule"] for one in report["findings"]} - {"not-checked"}) == rules


_GOOGLE = """
    import pulumi
    import pulumi_gcp as gcp

    network = gcp.compute.Network("net", auto_create_subnetworks=False)
    subnet = gcp.compute.Subnetwork("sub", network=network.id, ip_cidr_range="10.0.0.0/20", region="us-central1")
    cluster = gcp.container.Cluster("train", location="us-central1", network=network.id, subnetwork=subnet.id,
                                    remove_default_node_pool=True, initial_node_count=1)
    gcp.container.NodePool("gpus", cluster=cluster.id, location="us-central1", node_locations=["us-central1-a"],
                           node_count=2, node_config={"machine_type": "a3-megagpu-8g"})
    bucket = gcp.storage.Bucket("data", location="US")
    gcp.storage.BucketObject("index", bucket=bucket.name, content="checkpoints")
    pulumi.export("url", bucket.url)
"""


@pytest.mark.slow
def test_a_program_on_google_cloud_previews_with_the_major_version_before(
    project: PulumiProject, tmp_path: Path
) -> None:
    into = project.root / "venv" / "lib" / "python3.11" / "site-packages"
    wanted = "pulumi-gcp==9.37.1"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(into), wanted]
    subprocess.run(install, check=True, capture_output=True)
    project.write(_GOOGLE, **{"gcp:project": "shop", "gcp:region": "us-central1"})
    (plan := tmp_path / "plan.json").write_text(project.pulumi("preview --json --show-sames"))
    report = json.loads(CliRunner().invoke(main, ["guardrails", "check", "--format", "json", str(plan)]).output)
    assert [(one["resource"], one["machine"], one["nodes"], one["gpus"]) for one in report["machines"]] == [
        ("gpus", "a3-megagpu-8g", 2, 16)
    ]
    assert {"training-pool-in-one-domain", "fabric-interfaces-complete"} <= {one["rule"] for one in report["findings"]}


_COMPONENTS = """
    import pulumi
    import pulumi_awsx as awsx
    import pulumi_eks as eks

    nodes = pulumi.Config().require_int("nodes")
    vpc = awsx.ec2.Vpc("net", number_of_availability_zones=2)
    cluster = eks.Cluster("train", vpc_id=vpc.vpc_id, private_subnet_ids=vpc.private_subnet_ids,
                          skip_default_node_group=True)
    eks.ManagedNodeGroup("gpus", cluster=cluster, node_role_arn="arn:aws:iam::000000000000:role/nodes",
                         instance_types=["p5.48xlarge"],
                         scaling_config={"desired_size": nodes, "min_size": nodes, "max_size": nodes})
    eks.NodeGroupV2("more", cluster=cluster, instance_type="p5.48xlarge", desired_capacity=nodes)
"""


@pytest.mark.slow
def test_components_of_eks_and_awsx_are_placeholders_of_unknown_cost(
    bare: PulumiProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plan(nodes: int) -> Path:
        bare.write(_COMPONENTS, **{"small:nodes": str(nodes)})
        file = tmp_path / f"{nodes}.json"
        file.write_text(bare.pulumi("preview --json --show-sames"))
        return file

    one, many = plan(1), plan(64)
    monkeypatch.chdir(tmp_path)
    report = CliRunner().invoke(main, ["cost", "report", str(one)]).output
    assert report == Says("awsx:ec2:Vpc net", "eks:index:Cluster train", "eks:index:ManagedNodeGroup gpus")
    change = CliRunner().invoke(main, ["cost", "diff", str(one), str(many)]).output
    assert change == Says("Cannot", "gpus", "scalingConfig.desiredSize 1 -> 64", "more", "desiredCapacity 1 -> 64")
    findings = CliRunner().invoke(main, ["guardrails", "check", str(many)]).output
    assert findings == Says("gpu-machines-unread", "p5.48xlarge", "eks:index:ManagedNodeGroup")
    bare.pulumi("up --yes --skip-preview")
