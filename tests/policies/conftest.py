"""A compliant training cluster as the engine would send it, to be broken one property at a time."""

from __future__ import annotations

import datetime
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import analyzer_pb2

import gpucluster.policies
from gpucluster.policies.evaluate import evaluate
from gpucluster.policies.message import message
from gpucluster.policies.rule import ResourceRule, Rule, Stack
from gpucluster.policies.run_rule import run_resource_rule
from gpucluster.policies.settings import Settings
from gpucluster.program.readers.policy import resource_of, resources_of
from gpucluster.program.readers.records import UNKNOWN_TEXT as UNKNOWN

LABELS = {"team": "research", "owner": "ada"}
TODAY = datetime.date(2026, 11, 21)
PROVIDER = "urn:pulumi:test::test::pulumi:providers:aws::default"
GOOGLE_PROVIDER = {"project": "training-trial", "region": "us-central1", "zone": "us-central1-a"}
AZURE_PROVIDER = {"location": "eastus", "subscriptionId": "00000000-0000-0000-0000-000000000000"}
COMPONENT = "urn:pulumi:test::test::gpucluster:aws:TrainingCluster::trial"


@dataclass
class Declared:
    """One resource as the engine sends it; `dependencies` maps a property to logical names."""

    type: str
    name: str
    properties: dict[str, Any]
    dependencies: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    custom: bool = True
    keeps: list[str] = field(default_factory=list[str])

    @property
    def urn(self) -> str:
        return f"urn:pulumi:test::test::{self.type}::{self.name}" if self.custom else COMPONENT


class Program:
    """A program's resources by logical name."""

    unknown = UNKNOWN
    labels = LABELS
    today = TODAY

    def __init__(self, declared: list[Declared]) -> None:
        self.declared = {resource.name: resource for resource in declared}
        self.provider_inputs: dict[str, Any] = {"region": "us-east-1"}
        self.outside: set[str] = set()
        """Names of resources that the component does not surround."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        return self.declared[name].properties

    def add(self, type_: str, name: str, properties: dict[str, Any], **dependencies: list[str]) -> None:
        self.declared[name] = Declared(type_, name, properties, dependencies)

    def remove(self, name: str) -> None:
        """Take a resource away, and every reference to it."""
        del self.declared[name]
        for resource in self.declared.values():
            for names in resource.dependencies.values():
                if name in names:
                    names.remove(name)

    def depends(self, name: str, property_: str, *names: str) -> None:
        self.declared[name].dependencies[property_] = list(names)

    def keep(self, name: str, *properties: str) -> None:
        """Its options leave these properties as they were made."""
        self.declared[name].keeps = list(properties)

    def stack(self) -> Stack:
        return Stack(resources=resources_of(self.request().resources), today=TODAY)

    def asked(self, name: str) -> analyzer_pb2.AnalyzeRequest:
        """One resource as the engine's own message."""
        [sent] = (sent for sent in self.request().resources if sent.name == name)
        return analyzer_pb2.AnalyzeRequest(
            type=sent.type,
            urn=sent.urn,
            name=sent.name,
            properties=sent.properties,
            options=sent.options,
            provider=sent.provider if sent.HasField("provider") else None,
        )

    def request(self) -> analyzer_pb2.AnalyzeStackRequest:
        """All resources as the engine's own message."""
        request = analyzer_pb2.AnalyzeStackRequest()
        for name, resource in self.declared.items():
            sent = request.resources.add(type=resource.type, urn=resource.urn, name=resource.name)
            sent.properties.update(resource.properties)
            sent.options.ignoreChanges.extend(resource.keeps)
            if resource.custom:
                sent.parent = "" if name in self.outside else COMPONENT
                sent.provider.type, sent.provider.urn, sent.provider.name = "pulumi:providers:aws", PROVIDER, "default"
                sent.provider.properties.update(self.provider_inputs)
            for prop, names in resource.dependencies.items():
                sent.propertyDependencies[prop].urns.extend(self.declared[name].urn for name in names)
        return request


@pytest.fixture
def program() -> Program:
    """Four training nodes and a spare of p5.48xlarge, in one group, zone and security group, labelled."""
    started = [{"resourceType": kind, "tags": dict(LABELS)} for kind in ("instance", "volume")]
    return Program(
        [
            Declared(
                "gpucluster:aws:TrainingCluster",
                "trial",
                {"requiredLabels": dict(LABELS), "budget": {"monthly": "1000000"}},
                custom=False,
            ),
            Declared(
                "aws:ec2/subnet:Subnet",
                "gpu-subnet",
                {
                    "vpcId": UNKNOWN,
                    "availabilityZone": "us-east-1a",
                    "tags": dict(LABELS),
                    "mapPublicIpOnLaunch": False,
                },
            ),
            Declared("aws:ec2/securityGroup:SecurityGroup", "efa", {"vpcId": UNKNOWN, "tags": dict(LABELS)}),
            _group_rule("Ingress"),
            _group_rule("Egress"),
            Declared("aws:ec2/placementGroup:PlacementGroup", "group", {"strategy": "cluster", "tags": dict(LABELS)}),
            Declared(
                "aws:ec2/launchTemplate:LaunchTemplate",
                "template",
                {
                    "instanceType": "p5.48xlarge",
                    "networkInterfaces": [_interface(0, 0, "interface"), _interface(0, 1, "efa-only")]
                    + [_interface(card, 0, "efa-only") for card in range(1, 32)],
                    "placement": {"groupName": UNKNOWN},
                    "tagSpecifications": started,
                    "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1.0},
                    "tags": dict(LABELS),
                },
                {"placement": ["group"], "networkInterfaces": ["efa"]},
            ),
            Declared(
                "aws:eks/nodeGroup:NodeGroup",
                "train",
                {
                    "amiType": "AL2023_x86_64_NVIDIA",
                    "scalingConfig": {"desiredSize": 5.0, "maxSize": 5.0, "minSize": 5.0},
                    "updateConfig": {"maxUnavailable": 1.0, "updateStrategy": "MINIMAL"},
                    "subnetIds": [UNKNOWN],
                    "launchTemplate": {"id": UNKNOWN, "version": UNKNOWN},
                    "labels": dict(LABELS),
                    "tags": dict(LABELS),
                },
                {"launchTemplate": ["template"], "subnetIds": ["gpu-subnet"]},
            ),
        ]
    )


Found = Callable[..., list[tuple[str, str]]]
_FINDING = re.compile(r"^\s+- \[(\w+)\] \[severity: \w+\]\s+(\S+)\s+\((.*)\)$", re.MULTILINE)


@pytest.fixture(scope="module")
def project_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, Mapping[str, str]], Path]:
    """A project of its own, outside the checkout, with one program and the configuration of stack `test`."""

    def make(program: Path, config: Mapping[str, str]) -> Path:
        folder = tmp_path_factory.mktemp("pool")
        shutil.copy(program, folder / "__main__.py")
        runtime = {"name": "python", "options": {"virtualenv": sys.prefix}}
        (folder / "Pulumi.yaml").write_text(json.dumps({"name": "pool", "runtime": runtime}))
        (folder / "Pulumi.test.yaml").write_text(json.dumps({"config": config}))
        return folder

    return make


@pytest.fixture
def own_project(tmp_path: Path) -> Path:
    """This repository's own program, with its stacks, in a folder of its own."""
    checkout = Path(gpucluster.policies.__file__).parent.parent
    shutil.copy(checkout / "Pulumi.yaml", tmp_path)
    shutil.copytree(checkout / "stacks", tmp_path / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / ".venv").symlink_to(checkout / ".venv")
    return tmp_path


@pytest.fixture(scope="session")
def previewed() -> Callable[..., tuple[int, list[tuple[str, str, str]], str]]:
    """Preview a stack of a folder with the pack: exit code, findings (level, policy, resource) and output."""

    def run(folder: Path, stack: str, *arguments: str) -> tuple[int, list[tuple[str, str, str]], str]:
        pack = str(Path(gpucluster.policies.__file__).parent)
        command = [
            sys.executable,
            "-m",
            "gpucluster",
            "sandbox",
            "pulumi",
            "preview",
            "--policy-pack",
            pack,
            "--stack",
            stack,
        ]
        done = subprocess.run(
            [*command, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
        )
        output = done.stdout + done.stderr
        return done.returncode, _FINDING.findall(output), output

    return run


@pytest.fixture(scope="session")
def of_mistake() -> Callable[[str, str, str], tuple[str, str, str]]:
    """The finding (level, policy, resource) of a mistake seeded in a cluster of its own, by whose name names start."""
    return lambda mistake, policy, resource: ("mandatory", policy, resource.replace(": ", f": {mistake}-"))


@pytest.fixture(scope="session")
def is_told() -> Callable[[str, tuple[str, str, str], str], None]:
    """Asserts that a preview says of a finding what it found, and why its rule stops that and what to do instead."""

    def run(output: str, finding: tuple[str, str, str], what: str) -> None:
        _, *parts = map(str, _FINDING.split(output))
        # Finding -> what stands below it, up to the next one.
        said = {(parts[at], parts[at + 1], parts[at + 2]): parts[at + 3] for at in range(0, len(parts), 4)}
        assert what in said[finding]
        # Once for a rule: where it finds another resource, it says to look above.
        of_the_rule = "".join(text for (_, policy, _), text in said.items() if policy == finding[1])
        assert "          why: " in of_the_rule
        assert "          fix: " in of_the_rule

    return run


@pytest.fixture
def found() -> Found:
    """(resource, what) of every violation of a rule, as the engine sends the program."""

    def run(rule: Rule, program: Program, config: dict[str, Any] | None = None) -> list[tuple[str, str]]:
        return [(v.resource.name if v.resource else "", v.what) for v in _outcome(rule, program, config).violations]

    return run


@pytest.fixture
def unknown() -> Found:
    """(resource, what) of everything a rule could not decide."""

    def run(rule: Rule, program: Program, config: dict[str, Any] | None = None) -> list[tuple[str, str]]:
        return [(v.resource.name if v.resource else "", v.what) for v in _outcome(rule, program, config).unknown]

    return run


@pytest.fixture
def messages() -> Callable[..., list[str]]:
    """The whole text of every violation of a rule."""

    def run(rule: Rule, program: Program, config: dict[str, Any] | None = None) -> list[str]:
        return [message(rule, violation) for violation in _outcome(rule, program, config).violations]

    return run


def _outcome(rule: Rule, program: Program, config: dict[str, Any] | None) -> Any:
    if isinstance(rule, ResourceRule):
        check = rule.check
        outcomes = [
            run_resource_rule(rule, lambda name=name: check(resource_of(program.asked(name))))
            for name in program.declared
        ]
        return type(
            "Outcomes",
            (),
            {
                "violations": [v for outcome in outcomes for v in outcome.violations],
                "unknown": [v for outcome in outcomes for v in outcome.unknown],
            },
        )
    settings = Settings(configs={rule.name: config or {}})
    return evaluate([rule], program.stack().resources, today=TODAY, settings=settings)[0]


def _google(kind: str) -> Program:
    """A GKE cluster with four training nodes and a spare: `highgpu` (TCPX), `megagpu` (TCPXO) or `ultragpu` (RoCE).

    Typed from the layouts of cluster-toolkit's gke-a3-{highgpu,megagpu,ultragpu} blueprints, as the provider's inputs
    arrive: names are given by the provider's own naming, ids are not known yet.
    """
    accelerator, networks, mtu, ssds = {
        "highgpu": ("nvidia-h100-80gb", 4, 8244.0, 16.0),
        "megagpu": ("nvidia-h100-mega-80gb", 8, 8244.0, 16.0),
        "ultragpu": ("nvidia-h200-141gb", 9, 8896.0, 32.0),
    }[kind]
    program = Program(
        [
            Declared(
                "gpucluster:gcp:TrainingCluster",
                "trial",
                {"requiredLabels": dict(LABELS), "budget": {"monthly": "1000000"}},
                custom=False,
            ),
            Declared("gcp:compute/network:Network", "vpc", {"name": "vpc", "autoCreateSubnetworks": False, "mtu": mtu}),
            Declared(
                "gcp:container/cluster:Cluster",
                "cluster",
                {
                    "name": "trial",
                    "location": "us-central1",
                    "network": "vpc",
                    "datapathProvider": "ADVANCED_DATAPATH",
                    "enableMultiNetworking": True,
                    "removeDefaultNodePool": True,
                    "initialNodeCount": 1.0,
                    "deletionProtection": False,
                    "masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": "203.0.113.0/24"}]},
                    "maintenancePolicy": {
                        "maintenanceExclusions": [{"exclusionOptions": {"scope": "NO_MINOR_OR_NODE_UPGRADES"}}]
                    },
                    "resourceLabels": dict(LABELS),
                },
                {"network": ["vpc"]},
            ),
        ]
    )
    program.provider_inputs = dict(GOOGLE_PROVIDER)
    names = [f"gpu-{number}" for number in range(networks)]
    if kind == "ultragpu":
        names = ["gvnic", *(f"rdma-{number}" for number in range(8))]
        profile = "projects/training-trial/global/networkProfiles/us-central1-a-vpc-roce"
        program.add("gcp:compute/network:Network", "gvnic", {"name": "gvnic", "mtu": mtu})
        program.add("gcp:compute/network:Network", "roce", {"name": "roce", "networkProfile": profile, "mtu": mtu})
    for number, name in enumerate(names):
        network = "roce" if name.startswith("rdma") else name
        if kind != "ultragpu":
            program.add("gcp:compute/network:Network", name, {"name": name, "mtu": mtu})
            allows = [{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}]
            sources = [f"192.168.{16 * number}.0/20"]
            rule = {"network": name, "direction": "INGRESS", "allows": allows, "sourceRanges": sources}
            program.add("gcp:compute/firewall:Firewall", f"{name}-in", rule, network=[name])
        cidr = f"192.168.{16 * number}.0/20"
        subnet = {"name": f"{name}-subnet", "network": network, "ipCidrRange": cidr}
        program.add("gcp:compute/subnetwork:Subnetwork", f"{name}-subnet", subnet, network=[network])
        mode = "RDMA" if name.startswith("rdma") else "NetDevice"
        program.add(
            "kubernetes:networking.gke.io/v1:GKENetworkParamSet",
            f"{name}-parameters",
            {
                "metadata": {"name": name, "labels": dict(LABELS)},
                "spec": {"vpc": network, "vpcSubnet": f"{name}-subnet", "deviceMode": mode},
            },
            spec=[network, f"{name}-subnet"],
        )
        reference = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": name}
        program.add(
            "kubernetes:networking.gke.io/v1:Network",
            f"{name}-network",
            {
                "metadata": {"name": name, "labels": dict(LABELS)},
                "spec": {"type": "Device", "parametersRef": reference},
            },
        )
    of_names = [("roce" if name.startswith("rdma") else name, f"{name}-subnet") for name in names]
    program.add(
        "gcp:container/nodePool:NodePool",
        "train",
        {
            "cluster": "trial",
            "location": "us-central1",
            "name": "train",
            "nodeLocations": ["us-central1-a"],
            "nodeCount": 5.0,
            "maxPodsPerNode": 32.0,
            "management": {"autoRepair": True, "autoUpgrade": True},
            "upgradeSettings": {"strategy": "SURGE", "maxSurge": 0.0, "maxUnavailable": 1.0},
            "placementPolicy": {"type": "COMPACT"},
            "networkConfig": {
                "enablePrivateNodes": True,
                "additionalNodeNetworkConfigs": [
                    {"network": network, "subnetwork": subnet} for network, subnet in of_names
                ],
            },
            "nodeConfig": {
                "machineType": f"a3-{kind}-8g",
                "guestAccelerators": [
                    {
                        "type": accelerator,
                        "count": 8.0,
                        "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"},
                    }
                ],
                "gvnic": {"enabled": True},
                "ephemeralStorageLocalSsdConfig": {"localSsdCount": ssds},
                "imageType": "COS_CONTAINERD",
                "labels": {**LABELS, "gpucluster/pool": "training"},
                "resourceLabels": dict(LABELS),
                "serviceAccount": UNKNOWN,
            },
        },
        cluster=["cluster"],
        networkConfig=sorted({name for pair in of_names for name in pair}),
    )
    return program


@pytest.fixture
def high() -> Program:
    """Five a3-highgpu-8g with their four GPU VPCs."""
    return _google("highgpu")


@pytest.fixture
def mega() -> Program:
    """Five a3-megagpu-8g with their eight GPU VPCs."""
    return _google("megagpu")


@pytest.fixture
def ultra() -> Program:
    """Five a3-ultragpu-8g with a gVNIC VPC and the eight subnets of a RoCE VPC."""
    return _google("ultragpu")


@pytest.fixture
def nd() -> Program:
    """An AKS cluster with five Standard_ND96isr_H100_v5, as azure-native's inputs arrive: ids are not known yet."""
    program = Program(
        [
            Declared(
                "gpucluster:azure:TrainingCluster",
                "trial",
                {"requiredLabels": dict(LABELS), "budget": {"monthly": "1000000"}},
                custom=False,
            )
        ]
    )
    program.provider_inputs = dict(AZURE_PROVIDER)
    group = {"resourceGroupName": "trial-group", "location": "eastus", "tags": dict(LABELS)}
    program.add(
        "azure-native:network:VirtualNetwork",
        "vnet",
        {**group, "virtualNetworkName": "vnet", "addressSpace": {"addressPrefixes": ["10.16.0.0/12"]}},
    )
    program.add(
        "azure-native:network:Subnet",
        "nodes",
        {
            "resourceGroupName": "trial-group",
            "subnetName": "nodes",
            "virtualNetworkName": UNKNOWN,
            "addressPrefix": "10.16.0.0/16",
        },
        virtualNetworkName=["vnet"],
    )
    program.add(
        "azure-native:containerservice:ManagedCluster",
        "cluster",
        {
            **group,
            "resourceName": "trial",
            "dnsPrefix": "trial",
            "kubernetesVersion": "1.35",
            "sku": {"name": "Base", "tier": "Standard"},
            "identity": {"type": "UserAssigned", "userAssignedIdentities": [UNKNOWN]},
            "networkProfile": {
                "networkPlugin": "azure",
                "networkPluginMode": "overlay",
                "networkDataplane": "cilium",
                "networkPolicy": "cilium",
                "podCidr": "10.244.0.0/16",
                "serviceCidr": "10.0.0.0/16",
                "dnsServiceIP": "10.0.0.10",
            },
            "apiServerAccessProfile": {"authorizedIPRanges": ["203.0.113.0/24"]},
            "autoUpgradeProfile": {"upgradeChannel": "none", "nodeOSUpgradeChannel": "None"},
            "nodeProvisioningProfile": {"mode": "Auto", "defaultNodePools": "None"},
            "agentPoolProfiles": [
                {
                    "name": "system",
                    "mode": "System",
                    "type": "VirtualMachineScaleSets",
                    "count": 3.0,
                    "vmSize": "Standard_D8ds_v5",
                    "availabilityZones": ["1", "2", "3"],
                    "osType": "Linux",
                    "osSKU": "Ubuntu",
                    "vnetSubnetID": UNKNOWN,
                    "upgradeSettings": {"maxSurge": "1"},
                    "nodeLabels": {**LABELS, "gpucluster/pool": "system"},
                    "tags": dict(LABELS),
                }
            ],
        },
        agentPoolProfiles=["nodes"],
    )
    program.add(
        "azure-native:containerservice:AgentPool",
        "train",
        {
            "resourceGroupName": "trial-group",
            "resourceName": UNKNOWN,
            "agentPoolName": "training",
            "mode": "User",
            "type": "VirtualMachineScaleSets",
            "vmSize": "Standard_ND96isr_H100_v5",
            "count": 5.0,
            "enableAutoScaling": False,
            "availabilityZones": ["1"],
            "osType": "Linux",
            "osSKU": "Ubuntu",
            "osDiskType": "Ephemeral",
            "osDiskSizeGB": 1000.0,
            "kubeletDiskType": "OS",
            "gpuProfile": {"driver": "None"},
            "vnetSubnetID": UNKNOWN,
            "nodeLabels": {**LABELS, "gpucluster/pool": "training"},
            "nodeTaints": ["nvidia.com/gpu=true:NoSchedule"],
            "upgradeSettings": {"maxSurge": "0", "maxUnavailable": "1", "undrainableNodeBehavior": "Cordon"},
            "tags": dict(LABELS),
        },
        resourceName=["cluster"],
        vnetSubnetID=["nodes"],
    )
    program.add(
        "kubernetes:helm.sh/v3:Release",
        "gpu-operator",
        {"chart": "gpu-operator", "version": "v26.3.3", "values": {"driver": {"enabled": True}}},
    )
    return program


def _interface(card: int, device: int, kind: str) -> dict[str, Any]:
    return {
        "networkCardIndex": float(card),
        "deviceIndex": float(device),
        "interfaceType": kind,
        "deleteOnTermination": "true",
        "securityGroups": [UNKNOWN],
    }


def _group_rule(direction: str) -> Declared:
    return Declared(
        f"aws:vpc/securityGroup{direction}Rule:SecurityGroup{direction}Rule",
        f"efa-{direction.lower()}",
        {"ipProtocol": "-1", "securityGroupId": UNKNOWN, "referencedSecurityGroupId": UNKNOWN, "tags": dict(LABELS)},
        {"securityGroupId": ["efa"], "referencedSecurityGroupId": ["efa"]},
    )
