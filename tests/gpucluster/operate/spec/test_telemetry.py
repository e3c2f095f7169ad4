"""`gpucluster telemetry` as its user meets it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from gpucluster.cli import main

ROOT = Path(__file__).parents[4]


@pytest.fixture(autouse=True)
def project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["telemetry", *words])


def test_rules_carry_labels_and_price_of_the_stack() -> None:
    gpus, queue = yaml.safe_load(run("rules", "--stack", "aws-trial").stdout)["groups"]

    assert (gpus["name"], queue["name"]) == ("gpucluster", "gpucluster-queue")
    idle = next(rule for rule in gpus["rules"] if rule.get("alert") == "GpuIdle")
    assert idle["expr"].endswith(" * 6.88")
    assert idle["labels"] == {
        "team": "research",
        "project": "foundation-model",
        "cost_center": "cc-1234",
        "environment": "trial",
        "owner": "ml-platform",
        "stack": "aws-trial",
        "severity": "warning",
    }


def test_every_form_of_every_stack_is_written() -> None:
    for stack in ("aws-trial", "gcp-trial", "azure-trial"):
        for form in ("prometheus", "operator", "gke", "azure"):
            assert run("rules", "--stack", stack, "--format", form).exit_code == 0


def test_azure_gets_a_document_for_each_group_of_rules() -> None:
    documents = [*yaml.safe_load_all(run("rules", "--stack", "azure-trial", "--format", "azure").stdout)]

    firsts = [next(rule["alert"] for rule in document["rules"] if "alert" in rule) for document in documents]
    assert firsts == ["GpuIdle", "QueueDown"]


def test_the_price_sheet_names_the_training_machine_of_the_stack() -> None:
    rows = list(csv.DictReader(run("opencost", "--stack", "azure-trial").stdout.splitlines()))

    assert [row for row in rows if row["InstanceType"] == "Standard_ND96isr_H100_v5"] == [
        {
            "EndTimestamp": "",
            "InstanceID": "Standard_ND96isr_H100_v5",
            "Region": "eastus",
            "AssetClass": "node",
            "InstanceIDField": "metadata.labels.node.kubernetes.io/instance-type",
            "InstanceType": "Standard_ND96isr_H100_v5",
            "MarketPriceHourly": "98.32",
            "Version": "v1",
        }
    ]


@pytest.mark.parametrize(
    "stack, pool", [("aws", "p5.4xlarge"), ("gcp", "a3-highgpu-1g"), ("azure", "Standard_NC40ads_H100_v5")]
)
def test_the_price_sheet_has_the_machines_of_pools_and_nothing_that_is_no_node(stack: str, pool: str) -> None:
    rows = [*csv.DictReader(run("opencost", "--stack", f"{stack}-trial").stdout.splitlines())]
    names = [row["InstanceType"] for row in rows]
    assert pool in names
    assert [name for name in names if "db." in name or "cache." in name or "kafka" in name] == []


def test_a_user_s_own_price_is_on_the_price_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = "provider,region,sku,unit,purchase,term,usd_per_unit,as_of,source\n"
    own += "aws,us-east-1,p5.48xlarge,instance-hour,on_demand,,41.28,2026-11-01,contract\n"
    (tmp_path / "own.csv").write_text(own)
    monkeypatch.setenv("GPUCLUSTER_PRICES", str(tmp_path / "own.csv"))
    rows = csv.DictReader(run("opencost", "--stack", "aws-trial").stdout.splitlines())
    assert [row["MarketPriceHourly"] for row in rows if row["InstanceType"] == "p5.48xlarge"] == ["41.28"]


def test_dashboards_are_files_that_grafana_imports(tmp_path: Path) -> None:
    assert run("dashboards", "--stack", "gcp-trial", "-o", str(tmp_path / "new")).exit_code == 0

    titles = {path.name: json.loads(path.read_text())["title"] for path in (tmp_path / "new").iterdir()}
    names = {name: name for name in ("use", "fabric", "health", "cost")} | {"queue": "the queue"}
    assert titles == {f"gpucluster-{name}.json": f"GPU cluster: {title}" for name, title in names.items()}


def test_an_unknown_stack_is_refused_in_words() -> None:
    result = run("rules", "--stack", "aws-trail")

    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert "aws-trial" in result.stderr


def test_a_file_in_the_way_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    result = run("dashboards", "--stack", "aws-trial", "-o", str(tmp_path / "file" / "below"))

    assert (result.exit_code, result.stderr.splitlines()[-1]) == (
        2,
        f"error: {tmp_path}/file/below can't be written: Not a directory; give another --output",
    )
