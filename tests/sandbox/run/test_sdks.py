"""SDKs that a state needs, types that a command names, and the code of an import."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.clouds.types.sdk_types import Sdk
from gpucluster.sandbox.engine import code_generator
from gpucluster.sandbox.engine.engine import Engine, EngineError
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.run import sdks
from gpucluster.sandbox.run.arguments import CommandLine
from gpucluster.sandbox.run.sdks import missing_sdks, named_types, unknown_types
from tests.sandbox.conftest import PulumiProject

STATE = [
    {"type": "pulumi:pulumi:Stack"},
    {"type": "pulumi:providers:random"},
    {"type": "pulumi:providers:gcp"},
    {"type": "gcp:storage/bucket:Bucket"},
    {"type": "pulumi:providers:azure-native"},
    {"type": "pulumi:providers:gpucluster"},
]


def test_each_sdk_that_the_state_needs_is_named_with_what_brings_it() -> None:
    assert missing_sdks(STATE, {"gcp": Sdk("gcp", "10.2.0", Path("/nowhere"))}) == [
        "The state has resources of azure-native, which needs pulumi-azure-native: "
        "pip install 'pulumi-azure-native>=3.12,<4'",
        "The state has resources of random, which needs pulumi-random: pip install 'pulumi-random'",
    ]


def test_nothing_is_said_of_what_is_installed() -> None:
    assert missing_sdks(STATE[2:4], {"gcp": Sdk("gcp", "10.2.0", Path("/nowhere"))}) == []


TYPES = """\
name: small
runtime: {runtime}
config:
  count: {{type: integer}}
  nodes:
    type: integer
resources:
  known:
    type: "aws:s3:Bucket"  # short
  whole:
    type: aws:s3/bucket:Bucket
  wrong:
    type: aws:s3:Bukket
  foreign: {{type: random:RandomPet, properties: {{length: 2}}}}
  cluster:
    type: gpucluster:aws:TrainingCluster
"""
REGISTRY = 'resource_modules="""[{"fqn": "pulumi_aws.s3", "classes": {"aws:s3/bucket:Bucket": "Bucket"}}]"""'


def test_a_type_that_the_sandbox_lacks_is_named_with_what_brings_it(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text(REGISTRY)
    aws = Sdk("aws", "7.51.1", tmp_path)
    (tmp_path / "Pulumi.yaml").write_text(TYPES.format(runtime="yaml"))
    assert unknown_types(Project(tmp_path / "Pulumi.yaml"), {"aws": aws}) == [
        "the sandbox has no type aws:s3:Bukket: it simulates those of the installed pulumi-aws 7.51.1; correct it, or "
        "install a version of pulumi-aws that has it; did you mean aws:s3:Bucket?",
        "the sandbox has no types of random: it simulates installed SDKs; it needs pulumi-random: pip install "
        "'pulumi-random'",
    ]
    (tmp_path / "Pulumi.yaml").write_text(TYPES.format(runtime="python"))
    assert unknown_types(Project(tmp_path / "Pulumi.yaml"), {"aws": aws}) == []


PROGRAM = "name: small\nruntime: {runtime}\nresources: {{a: {{type: 'aws:ec2:Vpc'}}}}\n"


@pytest.mark.parametrize(
    ("runtime", "args", "found"),
    [
        ("yaml", ("up",), {"aws:ec2:Vpc", "gcp:compute/network:Network"}),
        ("python", ("up",), set()),
        ("python", ("import", "aws:iam/role:Role", "a", "b:c"), {"aws:iam/role:Role", "b:c"}),
        ("python", ("import", "--file", "FILE"), {"random:RandomPassword"}),
        ("python", ("import", "--file", "missing.json"), set()),
        ("python", ("up", "--file", "FILE"), set()),
    ],
)
def test_types_are_named_by_the_command_its_file_and_a_program_in_yaml(
    tmp_path: Path, runtime: str, args: tuple[str, ...], found: set[str]
) -> None:
    (tmp_path / "Pulumi.yaml").write_text(PROGRAM.format(runtime=runtime))
    (tmp_path / "more.yaml").write_text("resources: {b: {type: gcp:compute/network:Network}}\n")
    file = tmp_path / "wanted.json"
    file.write_text('{"resources": [{"type": "random:RandomPassword"}]}')
    line = CommandLine.of([str(file) if arg == "FILE" else arg for arg in args])
    assert named_types(Project(tmp_path / "Pulumi.yaml"), line) == found


SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg"
CONFIG = {
    "gcp:project": "my-project",
    "gcp:region": "us-central1",
    "azure-native:location": "eastus",
    "azure-native:subscriptionId": SUBSCRIPTION,
}
EXISTING = """
    import pulumi_aws as aws
    import pulumi_azure_native as azure
    import pulumi_gcp as gcp
    import pulumi_kubernetes as kubernetes

    aws.cloudwatch.LogGroup("logs", name="logs", retention_in_days=30)
    gcp.compute.Network("net", name="net", auto_create_subnetworks=False)
    group = azure.resources.ResourceGroup("group", resource_group_name="rg")
    azure.network.VirtualNetwork(
        "vnet", virtual_network_name="vn", resource_group_name=group.name,
        address_space={"address_prefixes": ["10.0.0.0/16"]},
    )
    kubernetes.core.v1.ConfigMap("map", metadata={"name": "cm", "namespace": "default"}, data={"a": "b"})
"""
WANTED = [
    ("gcp:compute/network:Network", "net2", "projects/my-project/global/networks/net"),
    ("azure-native:network:VirtualNetwork", "vnet2", f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vn"),
    ("kubernetes:core/v1:ConfigMap", "map2", "default/cm"),
]
YAML = """\
name: small
runtime: yaml
resources:
  vpc: {type: "aws:ec2:Vpc", properties: {cidrBlock: 10.0.0.0/16}}
  subnet: {type: "aws:ec2/subnet:Subnet", properties: {vpcId: "${vpc.id}", cidrBlock: 10.0.1.0/24}}
  net: {type: "gcp:compute:Network", properties: {name: net, autoCreateSubnetworks: false}}
  group: {type: "azure-native:resources:ResourceGroup", properties: {resourceGroupName: rg}}
  map: {type: "kubernetes:core/v1:ConfigMap", properties: {metadata: {name: cm}, data: {a: b}}}
variables:
  zones: {fn::invoke: {function: "aws:getAvailabilityZones", arguments: {state: available}}}
outputs: {arn: "${vpc.arn}", zone: "${zones.names[0]}"}
"""


@pytest.mark.engine
@pytest.mark.slow
def test_an_import_ends_well_and_prints_the_program(project: PulumiProject) -> None:
    project.write(EXISTING, **CONFIG)
    project.pulumi("up --yes --skip-preview")
    stacks = project.root / "stacks"
    (stacks / "Pulumi.other.yaml").write_text((stacks / "Pulumi.dev.yaml").read_text())
    one = project.run(
        *("pulumi", "import", "aws:cloudwatch/logGroup:LogGroup", "logs2", "logs", "--yes", "--stack", "other")
    )
    assert one.returncode == 0, one.stdout + one.stderr
    assert 'logs2 = aws.cloudwatch.LogGroup("logs2",\n    name="logs",\n    retention_in_days=30,' in one.stdout

    file = project.root / "wanted.json"
    wanted = [{"type": type_, "name": name, "id": id_} for type_, name, id_ in WANTED]
    file.write_text(json.dumps({"resources": wanted}))
    rest = project.run("pulumi", "import", "--file", str(file), "--yes", "--stack", "other")
    assert rest.returncode == 0, rest.stdout + rest.stderr
    for code in (
        'net2 = gcp.compute.Network("net2",\n    auto_create_subnetworks=False,',
        'vnet2 = azure_native.network.VirtualNetwork("vnet2",\n    address_space={\n        "address_prefixes": [',
        'map2 = kubernetes.core.v1.ConfigMap("map2",\n    api_version="v1",\n    data={\n        "a": "b",\n    },',
    ):
        assert code in rest.stdout


@pytest.mark.engine
@pytest.mark.slow
def test_a_program_in_yaml_has_the_resources_of_every_cloud(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text(YAML)
    config = {"aws:region": "us-east-1", **CONFIG}
    (tmp_path / "Pulumi.dev.yaml").write_text(json.dumps({"config": config}))
    small = PulumiProject(tmp_path)
    done = small.run("pulumi", "up", "--yes", "--skip-preview", "--stack", "dev")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {entry.type for entry in small.ledger()} == {
        "aws:ec2/vpc:Vpc",
        "aws:ec2/subnet:Subnet",
        "gcp:compute/network:Network",
        "azure-native:resources:ResourceGroup",
        "kubernetes:core/v1:ConfigMap",
    }
    assert small.outputs()["zone"] == "us-east-1a"
    # Another type, and an input that its type has not.
    more = YAML.replace("resources:\n", 'resources:\n  logs: {type: "aws:cloudwatch:LogGroup"}\n')
    (tmp_path / "Pulumi.yaml").write_text(more)
    assert small.plan() == {"logs": "create"}
    (tmp_path / "Pulumi.yaml").write_text(more.replace("cidrBlock: 10.0.0.0/16", "cidrBlok: 10.0.0.0/16"))
    wrong = small.run("pulumi", "preview", "--stack", "dev")
    assert (wrong.returncode, "cidrBlok" in wrong.stdout + wrong.stderr) == (1, True)


@pytest.mark.parametrize(
    ("args", "runtime", "host", "left"),
    [
        (("import", "t", "n", "id"), "python", "host", ("import", "t", "n", "id", "--generate-code=false")),
        (
            ("import", "t", "n", "id", "--", "x"),
            "python",
            "host",
            ("import", "t", "n", "id", "--generate-code=false", "--", "x"),
        ),
        (("import", "--generate-code=true"), "python", "host", ("import", "--generate-code=true")),
        (("import", "t", "n", "id"), "yaml", "host", ("import", "t", "n", "id")),
        (("import", "t", "n", "id"), "python", None, ("import", "t", "n", "id")),
        (("up",), "python", "host", ("up",)),
    ],
)
def test_an_import_without_a_generator_prints_no_code_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    args: tuple[str, ...],
    runtime: str,
    host: str | None,
    left: tuple[str, ...],
) -> None:
    def none(_: Any) -> Path:
        raise EngineError("no Go")

    monkeypatch.setattr(code_generator, "find_code_generator", none)
    (tmp_path / "Pulumi.yaml").write_text(f"name: small\nruntime: {runtime}\n")
    engine = Engine(Path(sys.executable), "3.259.0", "built", Path(host) if host else None)
    said: list[str] = []
    line = sdks.with_generator(CommandLine.of(args), Project(tmp_path / "Pulumi.yaml"), engine, print, said.append)
    assert (line.args, said) == (left, ["The import generates no code: no Go"] if left != args else [])
