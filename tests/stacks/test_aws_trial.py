"""The trial stack on the real engine: from the first preview to an empty cloud."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = [pytest.mark.engine, pytest.mark.checkpoints]

ROOT = Path(__file__).parents[2]
TRAINING = "5 x p5.48xlarge on demand"
ECR = "000000000000.dkr.ecr.us-east-1.sandbox.invalid"
MONEY = {"monthly", "monthlyFloor", "monthlyCeiling", "hourly", "perTrainingGpuHour"}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, copy: Callable[[Path], Any]) -> tuple[Any, str, str]:
    """A project whose trial cluster is up, judged by a real API server; what that printed, and remarked beside it."""
    project = copy(tmp_path_factory.mktemp("standing"))
    done = project.judged("up", "--yes", "--policy-pack", "policies", stack="aws-trial")
    assert done.code == 0, done.text
    return project, done.out, done.err


@pytest.fixture
def standing(judged: tuple[Any, str, str]) -> Any:
    """The project of `judged`."""
    return judged[0]


def test_a_real_api_server_takes_every_object_and_kubectl_shows_them(judged: tuple[Any, str, str]) -> None:
    project, _, remarks = judged
    (said,) = re.findall("accepted, .*", remarks)
    assert said == "accepted, 0 unchecked"
    assert {"1 EC2NodeClass.karpenter.k8s.aws", "1 NodePool.karpenter.sh"} <= {*re.split(": |, |\n", remarks)}
    kinds = "nodepools,ec2nodeclasses,clusterqueues,clustertrainingruntimes"
    shown = project.kubectl("get", kinds, "--output=name", stack="aws-trial")
    assert shown.out.split() == [
        "nodepool.karpenter.sh/dev",
        "ec2nodeclass.karpenter.k8s.aws/elastic",
        "clusterqueue.kueue.x-k8s.io/dev",
        "clusterqueue.kueue.x-k8s.io/training",
        "clustertrainingruntime.trainer.kubeflow.org/single-gpu",
        "clustertrainingruntime.trainer.kubeflow.org/training",
        "clustertrainingruntime.trainer.kubeflow.org/training-mpi",
    ], shown.text


def test_the_example_jobs_are_taken_as_they_are_and_jobs_without_their_fabric_are_refused(
    standing: Any, judge_jobs: Callable[[Any, str], None]
) -> None:
    judge_jobs(standing, "aws-trial")


@pytest.mark.parametrize("output", ["", "full"])
def test_a_first_preview_prints_the_costed_table_once_and_passes_the_policies(
    project: Any, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUCLUSTER_OUTPUT", output)
    done = project.pulumi("preview", "--policy-pack", "policies")
    assert done.code == 0, done.text
    assert done.out.count("Cost of stack aws-trial: list prices in USD") == 1
    assert re.findall(r"^Total .*", done.out, re.MULTILINE) == ["Total       $215,477.58 a month"]
    assert done.out.count(f"{TRAINING} (trial-training-nodes)") == 1
    assert "$200,896.00" in done.out
    details = ("ewyluda/gpu-price-index@ab49c80:data/observations/2026/2026-10-10.csv", "0 not priced")
    assert [detail in done.out for detail in details] == [bool(output)] * 2
    assert "SIMULATED" in done.err
    assert "mandatory" not in done.text


def test_the_same_resources_cost_the_same_read_from_program_plan_and_state(standing: Any) -> None:
    plan = json.dumps(standing.plan())
    from_plan = standing.report(plan)
    from_state = standing.report(standing.pulumi("stack", "export").out)
    outputs = standing.outputs("aws-trial")
    assert from_plan["monthly"] == from_state["monthly"]
    assert from_plan["parts"] == from_state["parts"]
    assert {name: outputs[name] for name in MONEY} == {
        "monthly": from_plan["monthly"]["expected"],
        "monthlyFloor": from_plan["monthly"]["floor"],
        "monthlyCeiling": from_plan["monthly"]["ceiling"],
        "hourly": from_plan["hourly"]["expected"],
        "perTrainingGpuHour": from_plan["per_training_gpu_hour"],
    }


def test_the_outputs_tell_how_to_get_in(standing: Any) -> None:
    outputs = standing.outputs("aws-trial")
    [user] = outputs["kubeconfig"]["users"]
    assert list(user["user"]) == ["exec"]  # no credential
    assert outputs["sharedStorage"].pop("id").startswith("fs-")
    assert outputs["metrics"].startswith("https://aps-workspaces.us-east-1.")
    assert {name: outputs[name] for name in outputs.keys() - MONEY - {"kubeconfig", "metrics", "begun", "ends"}} == {
        "clusterName": "trial-aws-trial",
        "account": "000000000000",
        "logs": {
            "console": "https://console.aws.amazon.com/cloudwatch/home?region=us-east-1#logsV2:log-groups/log-group/"
            "$252Faws$252Fcontainerinsights$252Ftrial-aws-trial$252Fapplication",
            "command": "aws logs tail /aws/containerinsights/trial-aws-trial/application --region us-east-1 "
            "--log-stream-name-prefix pod.training.JOB --since 1d",
        },
        "registry": {
            "image": f"{ECR}/trial-1887/jobs",
            "login": "aws ecr get-login-password --region us-east-1 | docker login --username AWS --password-stdin "
            f"{ECR}",
            "caches": {
                "public.ecr.aws": f"{ECR}/trial-1887/ecr",
                "registry.k8s.io": f"{ECR}/trial-1887/k8s",
                "quay.io": f"{ECR}/trial-1887/quay",
            },
        },
        "sharedStorage": {"usableGib": 20480, "namespace": "training", "claim": "shared"},
        "next": [
            "gpucluster sandbox connect --stack aws-trial",
            "kubectl apply -f examples/jobs/pytorch.yaml",
            "gpucluster sandbox jobs",
            "gpucluster sandbox pulumi stack output logs --stack aws-trial",
        ],
    }


def test_a_context_for_the_stack_is_written_from_what_it_exports(standing: Any, tmp_path: Path) -> None:
    """By the real engine; kubectl and the credential command are stand-ins, for no API is at a simulated address."""
    programs = {
        # Beside itself the command would look for an engine, and find itself.
        "pulumi": f"PATH='{os.environ['PATH']}' exec {Path(sys.executable).parent}/gpucluster sandbox pulumi \"$@\"",
        "aws": "",
        "kubectl": """echo '{"status": {"allowed": true}}'""",
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    path = f"PATH={tmp_path}:{os.environ['PATH']}"
    done = standing.run(
        "connect", "--stack", "aws-trial", "--kubeconfig", str(tmp_path / "config"), before=("/usr/bin/env", path)
    )
    assert (done.code, done.out.replace(str(tmp_path), "")) == (
        0,
        "Wrote context trial-aws-trial to /config: the current one.\n"
        "The cluster answers and accepts your jobs in namespace training.\n"
        "Images of jobs:\n"
        f"  aws ecr get-login-password --region us-east-1 | docker login --username AWS --password-stdin {ECR}\n"
        f"  docker push {ECR}/trial-1887/jobs:TAG\n"
        f"Logs of a job (replace JOB by its name):\n  {standing.outputs('aws-trial')['logs']['command']}\n",
    ), done.text
    [cluster] = yaml.safe_load((tmp_path / "config").read_text())["clusters"]
    assert cluster["cluster"] == standing.outputs("aws-trial")["kubeconfig"]["clusters"][0]["cluster"]


def test_a_script_that_trusts_nobody_agrees_to_the_cent(standing: Any) -> None:
    report = standing.report(json.dumps(standing.plan()))
    training = [line for line in report["lines"] if line["name"] == TRAINING]
    assert [(line["quantity"], line["unit_price"], line["monthly"]) for line in training] == [
        ("3650", "55.04", "200896.00")
    ]
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/audit_report.py"), str(ROOT / "cost/prices")],
        input=json.dumps(report),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_more_nodes_are_an_update_of_the_same_resources_with_the_difference_in_dollars(standing: Any) -> None:
    standing.change("stacks/specs/trial.yaml", "nodes: 4 ", "nodes: 6 ")
    try:
        done = standing.pulumi("preview")
        plan = standing.plan()
    finally:
        standing.change("stacks/specs/trial.yaml", "nodes: 6 ", "nodes: 4 ")
    assert done.code == 0, done.text
    assert '"215477.58" => "295922.82"' in done.out
    changed = {step["urn"].split("::")[-1]: step["op"] for step in plan["steps"] if step["op"] != "same"}
    assert changed == {
        "trial": "update",
        "trial-training-nodes": "update",
        "trial-jobs-training-cluster-queue": "update",
        # They say how many nodes there are for a job.
        "trial-jobs-rules-gpu-pods": "update",
        "trial-jobs-rules-training-jobs": "update",
        # Its tag says how many samples it will take.
        "trial-monitoring-workspace": "update",
    }


def test_the_training_nodes_start_after_the_kubernetes_api_took_an_object(standing: Any) -> None:
    """They are most of the bill, and an API out of reach ends an up at its first object."""
    state = json.loads(standing.pulumi("stack", "export").out)
    needs = {item["urn"]: item.get("dependencies") or [] for item in state["deployment"]["resources"]}
    (nodes,) = (urn for urn in needs if urn.endswith("::trial-training-nodes"))
    objects = [need.split("::")[-1] for need in needs[nodes] if "$kubernetes:" in need]
    assert objects == ["trial-workspace-namespace"]
    # The object itself waits for nothing that starts after the nodes.
    (namespace,) = (urn for urn in needs if urn.endswith("::trial-workspace-namespace"))
    assert needs[namespace] == []


@pytest.mark.parametrize("skip", [(), ("--skip-preview",)], ids=["previewed", "unseen"])
def test_an_over_budget_plan_is_refused_before_anything_is_registered(project: Any, skip: tuple[str, ...]) -> None:
    project.change("stacks/specs/trial.yaml", "monthly_usd: 420000", "monthly_usd: 200000")
    done = project.pulumi("up", "--yes", *skip)
    assert done.code != 0
    assert "over budget by $15,477.58" in done.text
    assert re.findall(r"^Total .*", done.out, re.MULTILINE) == ["Total       $215,477.58 a month"]
    assert "Traceback" not in done.text
    assert project.ledger() == []


@pytest.mark.slow
def test_a_preview_asks_no_cloud_anything(project: Any) -> None:
    """Invokes with known arguments would run in a preview and need an account."""
    done = project.pulumi("preview", "--logtostderr", "-v=9", "--logflow")
    assert done.code == 0
    asked = set(re.findall(r"ResourceMonitor.Invoke received: tok=(\S+)", done.err))
    assert asked <= {"pulumi:pulumi:readStackOutputs"}  # which the engine answers itself
    assert "ResourceMonitor.RegisterResource received" in done.err


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare")
@pytest.mark.slow
def test_a_preview_works_with_only_loopback_up(project: Any) -> None:
    command = 'ip link set lo up 2>/dev/null || true; exec "$@"'
    done = project.run(
        "sandbox",
        "pulumi",
        "preview",
        "--stack",
        "aws-trial",
        "--policy-pack",
        "policies",
        before=("unshare", "-rn", "sh", "-c", command, "sh"),
    )
    if "Operation not permitted" in done.err:
        pytest.skip("this machine allows no user namespaces")
    assert done.code == 0, done.text
    assert "$200,896.00" in done.out


@pytest.mark.slow
def test_the_working_tree_stays_clean(project: Any) -> None:
    before = {path: path.read_bytes() for path in (project.path / "stacks").rglob("*") if path.is_file()}
    assert project.pulumi("preview").code == 0
    after = {path: path.read_bytes() for path in (project.path / "stacks").rglob("*") if path.is_file()}
    assert {path for path in after if "__pycache__" not in path.parts} == set(before)
    assert all(after[path] == text for path, text in before.items())
