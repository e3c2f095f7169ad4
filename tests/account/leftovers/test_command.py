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

ROOT = Path(__file__).parents[3]
GROUP = "/subscriptions/0/resourceGroups/trial/providers"
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run(stack, command=..., answer=...)`: exit code and text, with that command of a cloud alone on PATH."""
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    shutil.copytree(ROOT / "stacks", tmp_path / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    (folder := tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(folder))

    def leftovers(stack: str, *more: str, command: str | None, answer: Any = None, said: str = "") -> tuple[int, str]:
        if command is not None:
            program = f"import sys\nopen({str(tmp_path / 'asked')!r}, 'w').write(' '.join(sys.argv[1:]))\n"
            program += f"sys.exit({said!r})" if said else f"print({json.dumps(answer)!r})"
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
        f"{EC2}:instance/i-1",
        "logs:us-east-1:000000000000:log-group:/aws/eks/trial/cluster",
        "s3:::trial-data",
        "sns:us-east-1:000000000000:alerts",
    )
    code, text = run("aws-trial", command="aws", answer=answer)
    unset = "unknown: instanceType is not set, and its launch template is not part of this stack"
    assert (code, text) == (
        1,
        f"""\
ec2:natgateway  arn:aws:{EC2}:natgateway/nat-1
  $1.08 a day, and by use
  aws ec2 delete-nat-gateway --nat-gateway-id nat-1 --region us-east-1
ec2:elastic-ip  arn:aws:{EC2}:elastic-ip/eipalloc-1
  $0.12 a day
  aws ec2 release-address --allocation-id eipalloc-1 --region us-east-1
ec2:instance  arn:aws:{EC2}:instance/i-1
  {unset}
  aws ec2 terminate-instances --instance-ids i-1 --region us-east-1
logs:log-group  arn:aws:logs:us-east-1:000000000000:log-group:/aws/eks/trial/cluster
  unknown: by what it holds or takes in
  aws logs delete-log-group --log-group-name /aws/eks/trial/cluster --region us-east-1
s3:bucket  arn:aws:s3:::trial-data
  unknown: by what it holds or takes in
  aws s3 rb s3://trial-data --force
sns:alerts  arn:aws:sns:us-east-1:000000000000:alerts
  unknown: its kind has no price by itself
  no command is known here
without charge (--format json has each with its command): ec2:vpc
aws-trial: 7 left, $1.20 a day; what 4 of them cost is not known
""",
    )
    assert (tmp_path / "asked").read_text() == (
        "resourcegroupstaggingapi get-resources --region us-east-1 --output json --tag-filters "
        "Key=pulumi-project,Values=gpucluster Key=pulumi-stack,Values=aws-trial"
    )


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
    ]
    code, text = run("gcp-trial", "--format", "json", command="gcloud", answer=answer)
    found = {one["kind"]: one for one in json.loads(text)["left"]}
    assert code == 1
    assert found["compute.googleapis.com/Disk"] == {
        "kind": "compute.googleapis.com/Disk",
        "id": disk,
        "usd_a_day": None,
        "cost": "unknown: size is not set, expected a number of 0 or more",
        "remove": "gcloud compute disks delete pvc-1 --zone=us-central1-b --project=acme",
    }
    assert found["cloudkms.googleapis.com/CryptoKey"]["remove"] == (
        f"gcloud kms keys versions destroy VERSION --key={key}"
    )
    assert (tmp_path / "asked").read_text() == (
        "asset search-all-resources --scope=projects/my-project "
        "--query=labels.pulumi-project=gpucluster AND labels.pulumi-stack=gcp-trial --format=json"
    )


def test_on_azure_another_project_of_the_same_stack_name_is_left_out(run: Run, tmp_path: Path) -> None:
    def one(name: str, project: str) -> dict[str, Any]:
        tags = {"pulumi-project": project, "pulumi-stack": "azure-trial"}
        kind = "Microsoft.Network/networkInterfaces"
        return {"id": f"{GROUP}/{kind}/{name}", "type": kind, "location": "eastus", "tags": tags}

    code, text = run("azure-trial", command="az", answer=[one("ours", "gpucluster"), one("theirs", "other")])
    assert (code, text) == (
        0,
        "without charge (--format json has each with its command): microsoft.network/networkinterfaces\n"
        "azure-trial: 1 left, $0.00 a day\n",
    )
    assert (tmp_path / "asked").read_text() == (
        "resource list --subscription 00000000-0000-0000-0000-000000000000 --tag pulumi-stack=azure-trial --output json"
    )


def test_where_nothing_is_left_it_says_so(run: Run) -> None:
    assert run("aws-trial", command="aws", answer=of_aws()) == (0, "aws-trial: nothing is left.\n")


def test_what_is_missing_is_said_with_what_to_do(run: Run) -> None:
    assert run("gcp-trial", command=None) == (
        2,
        "error: command: gcloud is not on PATH, and the account is asked by it; install the Google Cloud CLI "
        "(cloud.google.com/sdk/docs/install)\n",
    )
    assert run("aws-trial", command="aws", said="Unable to locate credentials.") == (
        2,
        "error: login: aws does not answer; log in by `aws sso login` or `aws configure`; it needs tag:GetResources: "
        "Unable to locate credentials.\n",
    )


def test_a_stack_that_is_not_there_is_no_account(run: Run) -> None:
    code, text = run("aws-tria", command="aws", answer=of_aws())
    assert (code, text.splitlines()[0]) == (2, "error: stack aws-tria: 1 problem")
