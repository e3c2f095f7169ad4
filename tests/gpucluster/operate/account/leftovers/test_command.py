"""`gpucluster leftovers` with commands of the clouds that answer as real ones do."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from tests.says import Says

ROOT = Path(__file__).parents[5]
GROUP = "/subscriptions/0/resourceGroups/trial/providers"
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run(stack, command=..., answer=...)`: exit code and text, with that command of a cloud alone on PATH.
    answers: what it says to its first two words, where that is not `answer`.
    """
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    shutil.copytree(ROOT / "stacks", tmp_path / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    (folder := tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(folder))

    def leftovers(
        stack: str,
        *more: str,
        command: str | None,
        answer: Any = None,
        answers: dict[str, Any] | None = None,
        said: str = "",
    ) -> tuple[int, str]:
        if command is not None:
            special = {words: json.dumps(one) for words, one in (answers or {}).items()}
            program = f"import sys\nprint(*sys.argv[1:], file=open({str(tmp_path / 'asked')!r}, 'a'))\n"
            program += f"answer = {special!r}.get(' '.join(sys.argv[1:3]), {json.dumps(answer)!r})\n"
            program += f"sys.exit({said!r})" if said else "print(answer)"
            (folder / command).write_text(f"#!{sys.executable}\n{program}\n")
            (folder / command).chmod(0o755)
        done = CliRunner().invoke(main, ["leftovers", "--stack", stack, *more])
        return done.exit_code, done.output

    return leftovers


def of_aws(*arns: str) -> dict[str, Any]:
    return {"ResourceTagMappingList": [{"ResourceARN": f"arn:aws:{arn}", "Tags": []} for arn in arns]}


EC2 = "ec2:us-east-1:000000000000"


def test_on_aws_what_costs_is_told_with_its_price_and_the_rest_by_its_kind(run: Run, tmp_path: Path) -> None:
    answer = of_aws(
        f"{EC2}:vpc/vpc-1",
        f"{EC2}:elastic-ip/eipalloc-1",
        f"{EC2}:natgateway/nat-1",
        f"{EC2}:vpc-endpoint/vpce-1",
        "ecr:us-east-1:000000000000:repository/trial/jobs",
        "sqs:us-east-1:000000000000:trial-karpenter",
        "logs:us-east-1:000000000000:log-group:/aws/eks/trial/cluster",
        "s3:::trial-data",
        "sns:us-east-1:000000000000:alerts",
    )
    code, text = run("aws-trial", command="aws", answer=answer)
    queue_url = (
        "$(aws sqs get-queue-url --queue-name trial-karpenter --region us-east-1 --query QueueUrl --output text)"
    )
    assert (code, text) == (
        1,
        f"""\
ec2:natgateway  arn:aws:{EC2}:natgateway/nat-1
  $1.08 a day, and by use
  aws ec2 delete-nat-gateway --nat-gateway-id nat-1 --region us-east-1
ec2:elastic-ip  arn:aws:{EC2}:elastic-ip/eipalloc-1
  $0.12 a day
  aws ec2 release-address --allocation-id eipalloc-1 --region us-east-1
ec2:vpc-endpoint  arn:aws:{EC2}:vpc-endpoint/vpce-1
  unknown: its kind has no price of its own
  aws ec2 delete-vpc-endpoints --vpc-endpoint-ids vpce-1 --region us-east-1
ecr:repository  arn:aws:ecr:us-east-1:000000000000:repository/trial/jobs
  unknown: billed by stored or ingested data
  aws ecr delete-repository --repository-name trial/jobs --force --region us-east-1
logs:log-group  arn:aws:logs:us-east-1:000000000000:log-group:/aws/eks/trial/cluster
  unknown: billed by stored or ingested data
  aws logs delete-log-group --log-group-name /aws/eks/trial/cluster --region us-east-1
s3:bucket  arn:aws:s3:::trial-data
  unknown: billed by stored or ingested data
  aws s3 rb s3://trial-data --force
sns:topic  arn:aws:sns:us-east-1:000000000000:alerts
  unknown: billed by stored or ingested data
  aws sns delete-topic --topic-arn arn:aws:sns:us-east-1:000000000000:alerts --region us-east-1
sqs:queue  arn:aws:sqs:us-east-1:000000000000:trial-karpenter
  unknown: billed by stored or ingested data
  aws sqs delete-queue --region us-east-1 --queue-url {queue_url}
free of charge (--format json lists each with its command): ec2:vpc
aws-trial: 9 left, $1.20 a day; the cost of 6 of them is unknown
""",
    )
    assert (tmp_path / "asked").read_text() == (
        "resourcegroupstaggingapi get-resources --region us-east-1 --output json --tag-filters "
        "Key=pulumi-project,Values=gpucluster Key=pulumi-stack,Values=aws-trial\n"
    )


def test_on_aws_machines_and_volumes_have_the_price_of_their_size(run: Run, tmp_path: Path) -> None:
    answer = of_aws(*(f"{EC2}:instance/i-{one}" for one in ("h100", "spot", "off", "gone")), f"{EC2}:volume/vol-1")
    running = {"Name": "running"}
    machines = [
        {"InstanceId": "i-h100", "InstanceType": "p5.4xlarge", "State": running},
        {"InstanceId": "i-spot", "InstanceType": "p5.4xlarge", "State": running, "InstanceLifecycle": "spot"},
        {"InstanceId": "i-off", "InstanceType": "p5.4xlarge", "State": {"Name": "stopped"}},
        {"InstanceId": "i-gone", "InstanceType": "p5.4xlarge", "State": {"Name": "terminated"}},
    ]
    volume = {"VolumeId": "vol-1", "Size": 500, "VolumeType": "gp3", "Iops": 3000, "Throughput": 125}
    answers = {
        "ec2 describe-instances": {"Reservations": [{"Instances": machines[:1]}, {"Instances": machines[1:]}]},
        "ec2 describe-volumes": {"Volumes": [volume]},
    }
    code, text = run("aws-trial", "--format", "json", command="aws", answer=answer, answers=answers)
    found = {one["id"].rpartition("/")[2]: (one["usd_a_day"], one["cost"]) for one in json.loads(text)["left"]}
    assert code == 1
    assert found["i-spot"][1] == Says("unknown", "no", "p5.4xlarge", "us-east-1")
    assert found == {
        "i-h100": ("165.12", "$165.12 a day"),  # 24 hours of $6.88
        "i-spot": (None, found["i-spot"][1]),
        "i-off": (None, Says("unknown", "instanceType", "not", "launch", "template", "not")),
        "vol-1": ("1.32", "$1.32 a day"),  # 500 GiB of $0.08 a month
    }
    assert (tmp_path / "asked").read_text().splitlines()[1:] == [
        f"ec2 describe-{things} --region us-east-1 --output json --filters Name=tag:pulumi-project,Values=gpucluster "
        "Name=tag:pulumi-stack,Values=aws-trial"
        for things in ("instances", "volumes")
    ]


def test_on_google_cloud_zones_and_full_names_are_in_the_commands(run: Run, tmp_path: Path) -> None:
    projects = "projects/acme"
    disk = f"//compute.googleapis.com/{projects}/zones/us-central1-b/disks/pvc-1"
    key = f"{projects}/locations/us-central1/keyRings/trial/cryptoKeys/secrets"
    answer = [
        {"name": disk, "assetType": "compute.googleapis.com/Disk", "location": "us-central1-b"},
        {
            "name": f"//cloudkms.googleapis.com/{key}",
            "assetType": "cloudkms.googleapis.com/CryptoKey",
            "location": "us-central1",
        },
        {
            "name": f"//artifactregistry.googleapis.com/{projects}/locations/us-central1/repositories/jobs",
            "assetType": "artifactregistry.googleapis.com/Repository",
            "location": "us-central1",
        },
    ]
    code, text = run("gcp-trial", "--format", "json", command="gcloud", answer=answer)
    found = {one["kind"]: one for one in json.loads(text)["left"]}
    assert code == 1
    assert found["compute.googleapis.com/Disk"] == {
        "kind": "compute.googleapis.com/Disk",
        "id": disk,
        "usd_a_day": None,
        "cost": Says("unknown", "not", "expected", "number", "0", "more"),
        "remove": "gcloud compute disks delete pvc-1 --zone=us-central1-b --project=acme",
    }
    assert (
        found["cloudkms.googleapis.com/CryptoKey"]["remove"] == f"gcloud kms keys versions destroy VERSION --key={key}"
    )
    registry = found["artifactregistry.googleapis.com/Repository"]
    assert (registry["cost"], registry["remove"]) == (
        "unknown: billed by stored or ingested data",
        "gcloud artifacts repositories delete jobs --location=us-central1 --project=acme",
    )
    assert (tmp_path / "asked").read_text() == (
        "asset search-all-resources --scope=projects/my-project --billing-project=my-project "
        "--query=labels.pulumi-project=gpucluster AND labels.pulumi-stack=gcp-trial --format=json\n"
    )


def test_on_azure_another_project_of_the_same_stack_name_is_left_out(run: Run, tmp_path: Path) -> None:
    def one(name: str, project: str) -> dict[str, Any]:
        tags = {"pulumi-project": project, "pulumi-stack": "azure-trial"}
        kind = "Microsoft.Network/networkInterfaces"
        return {"id": f"{GROUP}/{kind}/{name}", "type": kind, "location": "eastus", "tags": tags}

    code, text = run("azure-trial", command="az", answer=[one("ours", "gpucluster"), one("theirs", "other")])
    assert (code, text) == (
        0,
        "free of charge (--format json lists each with its command): microsoft.network/networkinterfaces\n"
        "azure-trial: 1 left, $0.00 a day\n",
    )
    assert (tmp_path / "asked").read_text() == (
        "resource list --subscription 00000000-0000-0000-0000-000000000000 --tag pulumi-stack=azure-trial "
        "--output json\n"
    )


def test_on_azure_a_registry_has_the_price_of_its_tier_and_logs_that_of_their_use(run: Run) -> None:
    tags = {"pulumi-project": "gpucluster", "pulumi-stack": "azure-trial"}
    kinds = [
        ("Microsoft.ContainerRegistry/registries", "eastus", {"name": "Premium"}),
        ("Microsoft.OperationalInsights/workspaces", "eastus2", None),
    ]
    answer = [
        {"id": f"{GROUP}/{kind}/one", "type": kind, "location": region, "tags": tags, "sku": sku}
        for kind, region, sku in kinds
    ]
    code, text = run("azure-trial", command="az", answer=answer)
    assert (code, text) == (
        1,
        f"""\
microsoft.containerregistry/registries  {GROUP}/Microsoft.ContainerRegistry/registries/one
  $1.64 a day
  az resource delete --ids {GROUP}/Microsoft.ContainerRegistry/registries/one
microsoft.operationalinsights/workspaces  {GROUP}/Microsoft.OperationalInsights/workspaces/one
  unknown: billed by stored or ingested data
  az resource delete --ids {GROUP}/Microsoft.OperationalInsights/workspaces/one
azure-trial: 2 left, $1.64 a day; the cost of 1 of them is unknown
""",
    )


def test_on_azure_a_cluster_and_machines_have_their_whole_price_and_what_is_free_is_free(run: Run) -> None:
    tags = {"pulumi-project": "gpucluster", "pulumi-stack": "azure-trial"}
    billed = {
        "Microsoft.ContainerService/managedClusters": {"name": "Base", "tier": "Standard", "capacity": None},
        "Microsoft.Compute/virtualMachineScaleSets": {
            "name": "Standard_ND96isr_H100_v5",
            "tier": "Standard",
            "capacity": 5,
        },
    }
    free = (
        "Microsoft.AlertsManagement/prometheusRuleGroups",
        "Microsoft.Compute/proximityPlacementGroups",
        "Microsoft.Insights/actionGroups",
        "Microsoft.Insights/dataCollectionEndpoints",
        "Microsoft.Insights/dataCollectionRules",
        "Microsoft.ManagedIdentity/userAssignedIdentities",
        "Microsoft.Network/networkSecurityGroups",
    )
    answer = [
        {"id": f"{GROUP}/{kind}/one", "type": kind, "location": "eastus", "tags": tags, "sku": billed.get(kind)}
        for kind in (*billed, *free)
    ]
    code, text = run("azure-trial", command="az", answer=answer)
    lines = text.splitlines()
    assert code == 1
    assert lines[0].startswith("microsoft.compute/virtualmachinescalesets")
    assert lines[1].startswith("  $11,798.40 a day")
    assert lines[3].startswith("microsoft.containerservice/managedclusters")
    assert lines[4].startswith("  $2.52 a day")  # with its load balancer; the book lacks one price of eastus
    assert {kind.lower() for kind in free} == {*lines[-2].partition(": ")[2].split(", ")}


def test_where_nothing_is_left_it_says_so(run: Run) -> None:
    assert run("aws-trial", command="aws", answer=of_aws()) == (0, "aws-trial: nothing is left.\n")


def test_what_is_missing_is_said_with_what_to_do(run: Run) -> None:
    assert run("gcp-trial", command=None) == (
        2,
        "error: command: gcloud is not on PATH, but it is needed to read the account; install the Google Cloud CLI "
        "(cloud.google.com/sdk/docs/install)\n",
    )
    assert run("aws-trial", command="aws", said="Unable to locate credentials.") == (
        2,
        "error: login: aws does not answer; log in with `aws sso login` or `aws configure`; it needs tag:GetResources, "
        "ec2:DescribeInstances and ec2:DescribeVolumes: Unable to locate credentials.\n",
    )


def test_a_stack_that_is_not_there_is_no_account(run: Run) -> None:
    code, text = run("aws-tria", command="aws", answer=of_aws())
    assert (code, text.splitlines()[0]) == (2, "error: stack aws-tria: 1 problem")
