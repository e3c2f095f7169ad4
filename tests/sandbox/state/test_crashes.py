"""Killed runs, at seeded moments, and what `gpucluster sandbox recover` makes of them.

By default a sample; GPUCLUSTER_TEST_CRASHES=20 runs that many seeded moments of each kind and direction.
"""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.state.compare import Difference
from gpucluster.sandbox.state.damage import differences

pytestmark = [pytest.mark.engine, pytest.mark.checkpoints]

ROOT = Path(__file__).parents[3]
WHO = ("engine", "provider", "plugin", "both")
SWEEP = "GPUCLUSTER_TEST_CRASHES"
SAMPLE = 2

# The SDK's import would take longer than all the rest.
PROGRAM = """
    import json
    import pulumi
    from pulumi import CustomResource, Output, ResourceOptions

    class Thing(CustomResource):
        arn: Output[str]

        def __init__(self, token, name, props, opts=None):
            super().__init__(token, name, {**props, "arn": None}, opts)

    inside = ResourceOptions(parent=pulumi.ComponentResource("test:index:Box", "box"))
    vpc = Thing("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"}, inside)
    subnets = [
        Thing("aws:ec2/subnet:Subnet", f"subnet{at}", {"vpcId": vpc.id, "cidrBlock": f"10.0.{at}.0/24"}, inside)
        for at in range(3)
    ]
    Thing("aws:ec2/securityGroup:SecurityGroup", "group", {"vpcId": vpc.id, "description": "nodes"})
    Thing("aws:ec2/placementGroup:PlacementGroup", "close", {"name": "close", "strategy": "cluster"})
    for at in range(2):
        policy = json.dumps({"Version": "2012-10-17", "Statement": []})
        Thing("aws:iam/role:Role", f"role{at}", {"name": f"role{at}", "assumeRolePolicy": policy})
    bucket = Thing("aws:s3/bucket:Bucket", "bucket", {})
    secret = Output.secret("c2VjcmV0")
    Thing("aws:ssm/parameter:Parameter", "secret", {"type": "SecureString", "value": secret})
    Thing("aws:cloudwatch/logGroup:LogGroup", "logs", {"name": "/small/logs"})
    Thing(
        "aws:ec2/launchTemplate:LaunchTemplate", "template", {"instanceType": "p5.48xlarge"},
        ResourceOptions(depends_on=[bucket, *subnets]),
    )
"""

# Every operation goes on for a while after Azure has accepted it, so a kill leaves some in the middle.
PROGRAM_ON_AZURE = """
    import pulumi
    from pulumi import CustomResource, Output, ResourceOptions

    class Thing(CustomResource):
        name: Output[str]

        def __init__(self, token, name, props, opts=None):
            super().__init__(f"azure-native:{token}", name, {**props, "name": None}, opts)

    group = Thing("resources:ResourceGroup", "group", {"resourceGroupName": "group", "location": "eastus"})
    inside = {"resourceGroupName": group.name}
    blocks = {"addressPrefixes": ["10.16.0.0/16"]}
    net = Thing("network:VirtualNetwork", "net", {**inside, "virtualNetworkName": "net", "addressSpace": blocks})
    address = Thing(
        "network:PublicIPAddress", "address",
        {**inside, "publicIpAddressName": "address", "sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static"},
    )
    nat = Thing(
        "network:NatGateway", "nat",
        {**inside, "natGatewayName": "nat", "sku": {"name": "Standard"}, "publicIpAddresses": [{"id": address.id}]},
    )
    nodes, files = (
        Thing("network:Subnet", name, {
            **inside, "virtualNetworkName": net.name, "subnetName": name, "addressPrefix": f"10.16.{at}.0/24",
            "natGateway": {"id": nat.id},
        })
        for at, name in enumerate(("nodes", "files"))
    )
    pool = {"vmSize": "Standard_D4s_v5", "vnetSubnetID": nodes.id}
    cluster = Thing("containerservice:ManagedCluster", "cluster", {
        **inside, "resourceName": "cluster", "dnsPrefix": "cluster", "identity": {"type": "SystemAssigned"},
        "agentPoolProfiles": [{**pool, "name": "system", "mode": "System", "count": 1}],
    })
    before = []
    for name in ("first", "second"):
        before = [Thing("containerservice:AgentPool", name, {
            **inside, **pool, "resourceName": cluster.name, "agentPoolName": name, "count": 1, "mode": "User",
        }, ResourceOptions(depends_on=before))]
    Thing("storagecache:AmlFilesystem", "lustre", {
        **inside, "amlFilesystemName": "lustre", "filesystemSubnet": files.id, "storageCapacityTiB": 16,
        "sku": {"name": "AMLFS-Durable-Premium-125"}, "zones": ["1"],
        "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayUTC": "03:00"},
    })
"""


class Small(NamedTuple):
    """A program, what its stack is configured with, and how many resources it has."""

    program: str
    config: str
    resources: int


SMALL = {
    "aws": Small(PROGRAM, "aws:region: us-east-1", 12),
    "azure": Small(PROGRAM_ON_AZURE, "azure-native:subscriptionId: 11111111-2222-3333-4444-555555555555", 10),
}
FIRST = ("aws", "engine", "up", 0)
"""The case of `make test`; `make test-all` has the others."""
CORE = {
    ("aws", "provider", "up", 0),
    ("aws", "plugin", "up", 0),
    ("aws", "engine", "up-then-destroy", 0),
    ("aws", "both", "destroy", 0),
    ("azure", "engine", "up", 0),
    ("azure", "both", "destroy", 0),
}
"""Each who dies, each direction, each kind of repair: to adopt, to drop what was being made or deleted, to refresh, to
remove a lock and a file that was cut. What was made twice, and Google Cloud, are in test_recover.py."""
SAMPLE_ON_AZURE = {("provider", "up"): 1, ("engine", "up"): 1, ("both", "destroy"): 1}


def _cases() -> list[Any]:
    """Where, who dies, whether after a killed up one goes on or destroys, the seed of the moment."""
    asked = int(os.environ.get(SWEEP, "0"))

    def times(cloud: str, who: str, direction: str, share: float) -> int:
        if cloud == "azure" and not asked:
            return SAMPLE_ON_AZURE.get((who, direction), 0)
        return math.ceil((asked or SAMPLE) * share)

    return [
        pytest.param(
            cloud,
            who,
            direction,
            seed,
            id=f"{cloud}-{who}-{direction}-{seed}",
            marks=_marks((cloud, who, direction, seed)),
        )
        for cloud in SMALL
        for who in WHO
        for direction, share in (("up", 1.0), ("up-then-destroy", 0.25), ("destroy", 1.0))
        for seed in range(times(cloud, who, direction, share))
    ]


def _marks(case: tuple[str, str, str, int]) -> list[pytest.MarkDecorator]:
    return [] if case == FIRST else [pytest.mark.slow, *([pytest.mark.core] if case in CORE else [])]


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes folders with a project whose resources are all there, one for each cloud."""

    @cache
    def make(cloud: str) -> Path:
        folder = tmp_path_factory.mktemp(f"standing-{cloud}")
        _write(folder, cloud)
        _run(folder, "pulumi", "up", "--yes", "--skip-preview", "--stack", "dev")
        return folder

    return make


@pytest.mark.parametrize(("cloud", "who", "direction", "seed"), _cases())
def test_a_killed_run_is_recovered_and_the_next_one_converges(
    cloud: str, who: str, direction: str, seed: int, crash: Any, standing: Callable[[str], Path], tmp_path: Path
) -> None:
    chance = random.Random(f"{who} {direction} {seed}" if cloud == "aws" else f"{cloud} {who} {direction} {seed}")
    command, resources = direction.split("-")[0], SMALL[cloud].resources
    # A moment in which at least one operation is done and one is not.
    amount, delay = chance.randrange(1, resources), chance.choice([0.0, chance.uniform(0, 0.02)])
    if command == "destroy":
        shutil.copytree(standing(cloud), tmp_path, dirs_exist_ok=True)
    else:
        _write(tmp_path, cloud)
    options = ("--yes", "--skip-preview", "--stack", "dev")
    crash(who, amount, delay).during(tmp_path, command, *options)

    said = _run(tmp_path, "recover", "--stack", "dev")
    assert _disagreements(tmp_path) == [], said
    assert _run(tmp_path, "recover", "--stack", "dev") == ""
    again = "destroy" if direction.endswith("destroy") else "up"
    _run(tmp_path, "pulumi", again, *options)
    _check_converged(tmp_path, {"destroy": 0, "up": resources}[again], "dev")


@pytest.mark.slow
@pytest.mark.core
def test_what_azure_goes_on_making_is_in_the_way_until_it_is_adopted(crash: Any, tmp_path: Path) -> None:
    _write(tmp_path, "azure")
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text("operations: [{type: azure-native:containerservice:ManagedCluster, seconds: 8}]\n")
    options = ("--yes", "--skip-preview", "--stack", "dev")
    # Group, network, address, gateway, two subnets; then cluster and file system, in either order.
    assert crash("plugin", 8, 0.1).during(tmp_path, "up", *options, scenario=scenario)
    document = json.loads(_run(tmp_path, "status", "--format", "json"))
    assert {item["name"]: item["state"] for item in document["resources"]}["cluster"] == "Creating"
    again = _sandbox(tmp_path, "pulumi", "up", *options)
    assert again.returncode != 0
    assert "cannot create already existing resource '/subscriptions/" in again.stdout
    said = _run(tmp_path, "recover", "--stack", "dev")
    assert "adopt   azure-native:containerservice:ManagedCluster cluster" in said
    _run(tmp_path, "pulumi", "up", *options)
    _check_converged(tmp_path, SMALL["azure"].resources, "dev")


def _check_converged(root: Path, amount: int, stack: str) -> None:
    """Ledger and state hold the same, nothing is there twice, and nothing is left to do."""
    file = root / ".sandbox/state/.pulumi/stacks" / _project(root).name / f"{stack}.json"
    state = json.loads(file.read_text())["checkpoint"]["latest"]
    owned = Counter(
        (item["type"], item["id"], item["urn"])
        for item in state.get("resources", [])
        if item.get("custom") and not item["type"].startswith("pulumi:")
    )
    cloud = _project(root).store.existing()
    assert Counter((entry.type, entry.id, entry.urn) for entry in cloud) == owned
    assert len(cloud) == amount
    assert _twice(entry.urn for entry in cloud) == []
    # Objects of different namespaces and targets of different rules may share a name; their ids are unique.
    within = ("kubernetes:", "aws:cloudwatch/eventTarget:")
    named = (entry for entry in cloud if entry.name and not entry.type.startswith(within))
    assert _twice((entry.scope, entry.type, entry.name) for entry in named) == []
    assert not state.get("pending_operations")
    assert _disagreements(root) == []
    if amount:
        _run(root, "pulumi", "preview", "--expect-no-changes", "--stack", stack)


def _twice(keys: Iterable[object]) -> list[object]:
    return [key for key, times in Counter(keys).items() if times > 1]


def _disagreements(root: Path) -> list[Difference]:
    return [difference for difference in differences(_project(root)) if difference]


def _project(root: Path) -> Project:
    return Project(root / "Pulumi.yaml")


def _write(root: Path, cloud: str) -> None:
    (root / "stacks").mkdir()
    (root / "Pulumi.yaml").write_text(
        f"name: small\nruntime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}\n"
        "main: stacks/\nstackConfigDir: stacks/\n"
    )
    (root / "stacks" / "Pulumi.dev.yaml").write_text(f"config: {{{SMALL[cloud].config}}}\n")
    (root / "stacks" / "__main__.py").write_text(textwrap.dedent(SMALL[cloud].program))


def _run(root: Path, *args: str) -> str:
    """Runs `sandbox ARGS`; returns its output, and fails the test when it fails."""
    done = _sandbox(root, *args)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _sandbox(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gpucluster", "sandbox", *args],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def _trial_cases() -> list[Any]:
    asked = int(os.environ.get(SWEEP, "0"))
    sample = [("both", "up"), ("engine", "destroy")]
    cases = [(who, direction) for who in WHO for direction in ("up", "destroy")] if asked else sample
    return [pytest.param(who, direction, id=f"{who}-{direction}") for who, direction in cases]


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trial stack, all up."""
    folder = tmp_path_factory.mktemp("trial")
    _copy_project(folder)
    _run(folder, "pulumi", "up", "--yes", "--skip-preview", "--stack", "aws-trial")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("who", "direction"), _trial_cases())
def test_the_trial_cluster_survives_a_crash(who: str, direction: str, crash: Any, trial: Path, tmp_path: Path) -> None:
    whole = len(_project(trial).store.existing())
    moment = random.Random(f"trial {who} {direction}").randrange(5, whole - 5)
    if direction == "up":
        _copy_project(tmp_path)
    else:
        shutil.copytree(trial, tmp_path, symlinks=True, dirs_exist_ok=True)
    options = ("--yes", "--skip-preview", "--stack", "aws-trial")
    assert crash(who, moment, 0.0).during(tmp_path, direction, *options)
    said = _run(tmp_path, "recover", "--stack", "aws-trial")
    assert _disagreements(tmp_path) == [], said
    _run(tmp_path, "pulumi", direction, *options)
    _check_converged(tmp_path, whole if direction == "up" else 0, "aws-trial")


def _copy_project(folder: Path) -> None:
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    shutil.copytree(ROOT / "stacks", folder / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ".venv").symlink_to(sys.prefix)
