"""The example jobs: one file each for every cloud, so nothing in them may be of one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.aws.pools import job_pools as aws
from gpucluster.components.azure.pools import job_pools as azure
from gpucluster.components.gcp.fabric import fabric_pod as gcp

QUEUE = "kueue.x-k8s.io/queue-name"
FOLDER = Path(__file__).parents[2] / "examples/jobs"
JOBS = sorted(FOLDER.rglob("*.yaml"))

# Words by which a job would be one cloud's: its names, its registries, its labels and its resources.
OF_A_CLOUD = re.compile(
    r"(?i)amazon|\baws\b|\beks\b|\befa\b|\becr\b|\bfsx\b|google|\bgcp\b|\bgke\b|gce|\btcpxo?\b|\bpkg\.dev\b|"
    r"azure|\baks\b|infiniband|\brdma\b|\bmlx5"
)
CODE = {
    "replicatedJobs": [
        {
            "name": "node",
            "template": {
                "spec": {
                    "template": {
                        "spec": {
                            "containers": [{"name": "node", "volumeMounts": [{"name": "code", "mountPath": "/code"}]}],
                            "volumes": [{"name": "code", "configMap": {"name": "resume"}}],
                        }
                    }
                }
            },
        }
    ]
}
IDENTITY = 'azure.workload.identity/use: "true"'


@pytest.fixture(params=JOBS, ids=lambda path: path.stem)
def text(request: pytest.FixtureRequest) -> str:
    path: Path = request.param
    # The comment above a job may say on which clouds it is the same.
    return "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("#"))


def test_there_is_one_of_each_way_to_use_a_gpu_and_of_each_way_of_data() -> None:
    found = {path.stem: _documents(path.read_text())[0] for path in JOBS}
    assert {name: (job["kind"], job["metadata"]["labels"][QUEUE]) for name, job in found.items()} == {
        "array": ("Job", "dev"),
        "batch": ("Job", "dev"),
        "cluster": ("RayCluster", "dev"),
        "copy-in": ("Job", "training"),
        "copy-out": ("Job", "training"),
        "nccl-all-reduce": ("TrainJob", "training"),
        "notebook": ("StatefulSet", "dev"),
        "pytorch": ("TrainJob", "training"),
        "resume": ("TrainJob", "training"),
        "serving": ("Deployment", "dev"),
        "single-gpu": ("TrainJob", "dev"),
        "vllm": ("LeaderWorkerSet", "training"),
        "vscode": ("StatefulSet", "mig"),
        "whole-node": ("Job", "fleet"),
    }


def test_a_job_carries_nothing_of_any_cloud(text: str) -> None:
    [job, *_] = _documents(text)
    # A pod that reaches a bucket has the one label by which Azure gives it its identity; others have no use for it.
    of_buckets = "serviceAccountName: data" in text
    assert OF_A_CLOUD.findall(text) == (["azure"] if of_buckets else []), job["metadata"]["name"]
    assert (IDENTITY in text) == of_buckets


def test_a_job_sets_nothing_that_a_runtime_sets(text: str) -> None:
    [job, *_] = _documents(text)
    if job["kind"] == "TrainJob":
        spec = job["spec"]
        # A patch brings a script, and nothing else.
        mounts = [patch["trainingRuntimeSpec"]["template"]["spec"] for patch in spec.pop("runtimePatches", [])]
        assert mounts in ([], [CODE])
        assert set(spec) == {"runtimeRef", "trainer"}
        assert set(spec["trainer"]) <= {"numNodes", "image", "command", "args"}
    settings = {
        *aws._SETTINGS,  # pyright: ignore[reportPrivateUsage]
        *azure._SETTINGS,  # pyright: ignore[reportPrivateUsage]
        *(name for names in gcp._SETTINGS.values() for name in names),  # pyright: ignore[reportPrivateUsage]
    }
    assert [name for name in settings if name in text] == []


def test_a_job_names_its_queue_its_priority_and_its_namespace(text: str) -> None:
    metadata = _documents(text)[0]["metadata"]
    assert metadata["namespace"] == "training"
    assert set(metadata["labels"]) == {QUEUE, "kueue.x-k8s.io/priority-class"}


def test_what_is_reached_from_a_browser_listens_in_its_pod_alone() -> None:
    listening = {
        path.stem: word
        for path in JOBS
        if path.stem in ("notebook", "vscode")
        for word in _documents(path.read_text())[0]["spec"]["template"]["spec"]["containers"][0]["command"]
        if word.startswith(("--ip=", "--bind-addr="))
    }
    assert listening == {"notebook": "--ip=127.0.0.1", "vscode": "--bind-addr=127.0.0.1:8080"}


def test_the_sweep_is_100_jobs_that_differ_in_name_and_settings_alone() -> None:
    done = subprocess.run([sys.executable, FOLDER / "sweep.py"], capture_output=True, text=True, check=True)
    jobs = json.loads(done.stdout)["items"]
    settings = [tuple(one["value"] for one in job["spec"]["trainer"].pop("env")) for job in jobs]
    names = [job["metadata"].pop("name") for job in jobs]
    assert (len({*settings}), len({*names}), settings[0], names[99]) == (
        100,
        100,
        ("0.01", "16", "0"),
        "learning-rate-099",
    )
    assert [job for job in jobs if job != jobs[0]] == []
    assert jobs[0]["metadata"]["labels"][QUEUE] == "dev"


def _documents(text: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(text))


def test_the_job_of_slurm_is_the_twin_of_the_trainjob() -> None:
    script = (FOLDER / "slurm/pytorch.sbatch").read_text()
    [job] = _documents((FOLDER / "pytorch.yaml").read_text())
    [program] = re.findall(r"<<'PROGRAM'\n(.*?)^PROGRAM$", script, re.DOTALL | re.MULTILINE)
    asked = dict(re.findall(r"^#SBATCH --([\w-]+)(?:=(\S+))?$", script, re.MULTILINE))
    assert program == job["spec"]["trainer"]["args"][0]
    assert asked["nodes"] == str(job["spec"]["trainer"]["numNodes"])
    assert (asked["partition"], asked["gpus-per-node"]) == (job["metadata"]["labels"][QUEUE], "8")
    assert OF_A_CLOUD.findall(script.partition("#SBATCH")[2]) == []
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
