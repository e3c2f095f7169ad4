"""What a real API server says of jobs and pods by the rules of each cloud: of those that would lose the fabric unseen
or reach out for their machine, and of others that are nearly so.

`rules/jobs.yaml`, `rules/pods.yaml` and `rules/gpus.yaml` have a case a row, `rules/said.txt` what is said of those
that are refused; UPDATE_GOLDEN=1 writes that anew.
"""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.jobs.job_rules import rules_of
from gpucluster.components.kubernetes.jobs.jobs import queues_of, runtimes_of
from gpucluster.components.kubernetes.objects import charts
from gpucluster.components.planning.names import NAMESPACE
from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.definitions import definitions_of, source_of
from gpucluster.sandbox.api_server.server import Server, open_server
from tests.gpucluster.core.catalog.misfit import misfit
from tests.says import Says
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

Example = Callable[[str], dict[str, Any]]
Expand = Callable[..., dict[str, Any]]
Pools = Callable[..., list[JobPool]]

FOLDER = Path(__file__).with_name("rules")
JOBS: dict[str, dict[str, dict[str, Any]]] = yaml.load((FOLDER / "jobs.yaml").read_text(), yaml.CSafeLoader)
PODS: dict[str, dict[str, dict[str, Any]]] = yaml.load((FOLDER / "pods.yaml").read_text(), yaml.CSafeLoader)
GPUS: dict[str, dict[str, dict[str, Any]]] = yaml.load((FOLDER / "gpus.yaml").read_text(), yaml.CSafeLoader)
SAID = FOLDER / "said.txt"
# The pod security standard of the jobs' namespace: tests/stacks/test_security.py.
STANDARDS = {"aws": "baseline", "azure": "privileged", "gcp": "privileged"}
KUEUE = "system:serviceaccount:kueue-system:kueue-controller-manager"
JOBS_PODS = "system:serviceaccount:kube-system:job-controller"
"""Who makes the pods of jobs."""
OTHER_NAMESPACES = {
    "elsewhere": {},
    "gpu-exporter": {},
    "gpu-operator": {},
    "allowed": {"gpucluster/gpu-nodes": "allowed"},
}
SLICES = {"nodes": 1, "layout": "all-1g.10gb", "purchase": "on-demand"}
OTHER_RAY = ("rayservices.ray.io",)
API = {
    "Pod": "v1",
    "ReplicationController": "v1",
    "Job": "batch/v1",
    "CronJob": "batch/v1",
    "JobSet": "jobset.x-k8s.io/v1alpha2",
    "RayCluster": "ray.io/v1",
    "RayJob": "ray.io/v1",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
}


@dataclass(frozen=True)
class Judge:
    """A cloud's rules in force."""

    cloud: str
    client: Client
    server: Server

    def __call__(self, document: Mapping[str, Any], *, keep: bool = False, user: str | None = None) -> str:
        """What the server says of an object; nothing where it takes it."""
        headers = self.client._headers  # pyright: ignore[reportPrivateUsage]
        if user is not None:
            headers |= {"Impersonate-User": user, "Impersonate-Group": "system:masters"}
        try:
            self.client.apply(document, dry_run=not keep)
        except ObjectRefused as refusal:
            return re.sub(r"^.* denied request: ", "", str(refusal))
        finally:
            for header in ("Impersonate-User", "Impersonate-Group"):
                headers.pop(header, None)
        return ""

    def warning(self, document: Mapping[str, Any]) -> str:
        """Of what kubectl prints of an object that the server takes, the rule's sentence; nothing without one."""
        config = self.server.folder / "kubeconfig"
        config.write_text(json.dumps(self.server.kubeconfig()))
        kubectl = [str(find_binaries().kubectl), "--kubeconfig", str(config), "apply", "--dry-run=server", "-f", "-"]
        done = subprocess.run(kubectl, input=json.dumps(document), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return "".join(re.findall("binding 'several-nodes': (.*)", done.stderr))


def _namespace(name: str, standard: str, more: Mapping[str, str] | None = None) -> dict[str, Any]:
    labels = {"pod-security.kubernetes.io/enforce": standard, **(more or {})}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory, pools: Pools, example: Example) -> Iterator[list[Judge]]:
    """A server for each cloud, with the definitions of Trainer and the rules as its cluster has them."""
    brought = {
        "kubeflow-trainer": charts.TRAINER.version,
        "jobset": charts.JOBSET.version,
        "kuberay-operator": "1.6.2",
        "lws": charts.LWS.version,
    }
    sources = [source_of(chart, version) for chart, version in brought.items()]
    definitions = [it for source in sources if source is not None for it in definitions_of(source)]
    with ExitStack() as stack:
        found: list[Judge] = []
        for cloud, standard in STANDARDS.items():
            server = stack.enter_context(open_server(tmp_path_factory.mktemp(cloud), find_binaries()))
            judge = Judge(cloud, Client(server), server)
            # Those of Ray are large: of the example and of jobs.
            judge.client.define([it for it in definitions if it["metadata"]["name"] not in OTHER_RAY])
            judge.client.apply(_namespace(NAMESPACE, standard))
            for name, labels in OTHER_NAMESPACES.items():
                judge.client.apply(_namespace(name, "privileged", labels))
            _enforce(judge, pools(cloud), restricted=standard == "baseline")
            found.append(judge)
        # A server acts on new rules a moment later.
        unqueued, privileged = _job(example, {"field": "metadata.labels", "value": {}}), _bare("a")
        privileged["spec"]["containers"][0]["securityContext"] = {"privileged": True}
        wait_for(
            "the rules are in force",
            lambda: all(judge(unqueued) and judge(privileged) and judge(_bare("a", gpus=1)) for judge in found),
        )
        yield found


def _enforce(judge: Judge, pools: list[JobPool], *, restricted: bool, slurm: Sequence[str] = ()) -> None:
    queued = [pool for pool in pools if pool.name not in slurm]
    rules = rules_of(
        queued,
        release=pools[0].release,
        queues=queues_of(queued),
        namespaces=[NAMESPACE],
        restricted=restricted,
        of_slurm=[pool for pool in pools if pool.name in slurm],
    )
    for manifest in (manifest for rule in rules.values() for manifest in rule):
        judge.client.apply(manifest)


def _bare(name: str, namespace: str = NAMESPACE, *, gpus: int = 0) -> dict[str, Any]:
    resources = {"limits": {"nvidia.com/gpu": gpus}} if gpus else {}
    spec: dict[str, Any] = {"containers": [{"name": "a", "image": "a:1", "resources": resources}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def patched(job: str, pod: Mapping[str, Any], manager: str = "kueue.x-k8s.io/manager") -> dict[str, Any]:
    """A patch of the pods of a replicated job."""
    jobs = [{"name": job, "template": {"spec": {"template": pod}}}]
    return {"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}


def _job(example: Example, row: Mapping[str, Any]) -> dict[str, Any]:
    """The example with one field changed, or one patch of its pods; "" is the whole, whose fields are laid over."""
    job = example(row.get("job", "pytorch"))
    if "patch" in row:
        job["spec"]["runtimePatches"] = [patched("node", row["patch"], row.get("manager", "example.com/me"))]
        return job
    if not row["field"]:
        return {**job, **row["value"], "metadata": {**job["metadata"], **row["value"].get("metadata", {})}}
    *parents, last = row["field"].split(".")
    place = job
    for step in parents:
        place = place[step]
    if row["value"] is None:
        del place[last]
    else:
        place[last] = row["value"]
    return job


@pytest.fixture(scope="module")
def pods(expand: Expand, example: Example) -> Mapping[str, dict[str, Any]]:
    """The pod of the example, by cloud."""
    found = {cloud: _bare("pytorch") for cloud in STANDARDS}
    for cloud, pod in found.items():
        [job] = expand(cloud, example("pytorch"))["jobs"]
        pod["spec"] = job["spec"]["template"]["spec"]
    return found


def _pod(pod: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """A pod with a row laid over it: lists are added to."""
    changed = _over(pod, {"spec": row.get("spec", {})})
    first, *others = changed["spec"]["containers"]
    changed["spec"]["containers"] = [_over(first, row.get("container", {})), *others]
    return changed


def _over(value: Any, more: Any) -> Any:
    if isinstance(value, dict) and isinstance(more, dict):
        return {**value, **{key: _over(value[key], inner) if key in value else inner for key, inner in more.items()}}
    return [*value, *more] if isinstance(value, list) else copy.deepcopy(more)


def _maker(row: Mapping[str, Any]) -> dict[str, Any]:
    """An object that makes pods, by a row of `gpus.yaml`."""
    kind = row["kind"]
    labels = {**row.get("labels", {}), **({"kueue.x-k8s.io/queue-name": row["queue"]} if "queue" in row else {})}
    metadata = {"name": "a", "namespace": row.get("namespace", NAMESPACE), "labels": labels}
    asked = {"nvidia.com/gpu": row.get("gpus"), "nvidia.com/mig-1g.10gb": row.get("slices")}
    limits = {name: amount for name, amount in asked.items() if amount is not None}
    container = {"name": "a", "image": "a:1", "resources": {"limits": limits} if limits else {}}
    pods = {"containers": [container], **row.get("pods", {})}
    spec = {**row.get("spec", {})}
    if kind == "Pod":
        spec = pods
    elif kind == "LeaderWorkerSet":
        spec = {"leaderWorkerTemplate": {**spec, "workerTemplate": {"spec": pods}}}
    elif kind not in ("CronJob", "JobSet", "RayCluster", "RayJob"):
        labels = {"app": "a"}
        selector = labels if kind == "ReplicationController" else {"matchLabels": labels}
        selected = {} if kind == "Job" else {"selector": selector}
        more = {"serviceName": "a"} if kind == "StatefulSet" else {}
        spec = {**selected, **more, "template": {"metadata": {"labels": labels}, "spec": pods}, **spec}
    return {"apiVersion": API.get(kind, "apps/v1"), "kind": kind, "metadata": metadata, "spec": spec}


def _said() -> dict[str, list[str]]:
    blocks = re.findall(r"^(\S+)\n((?:  .*\n)+)", SAID.read_text(), flags=re.MULTILINE)
    return {name: [line.removeprefix("  ") for line in lines.splitlines()] for name, lines in blocks}


def _by_cloud(messages: Mapping[str, str]) -> list[str]:
    """A line a message, after the clouds that say it."""
    found: dict[str, list[str]] = {}
    for cloud, message in messages.items():
        found.setdefault(message, []).append(cloud)
    return [f"{', '.join(clouds)}: {message}" for message, clouds in found.items()]


def test_what_loses_the_fabric_or_its_guard_is_refused_on_every_cloud_and_told_why(
    judges: list[Judge], pods: Mapping[str, dict[str, Any]], example: Example
) -> None:
    found = {
        f"job-{name}": {judge.cloud: judge(_job(example, row)) for judge in judges}
        for name, row in JOBS["refused"].items()
    }
    for name, row in PODS["refused"].items():
        found[f"pod-{name}"] = {judge.cloud: judge(_pod(pods[judge.cloud], row), user=JOBS_PODS) for judge in judges}
    for name, row in GPUS["refused"].items():
        found[f"gpus-{name}"] = {judge.cloud: judge(_maker(row), user=row.get("user")) for judge in judges}
    assert {name: said for name, said in found.items() if not all(said.values())} == {}
    lines = {name: _by_cloud(said) for name, said in found.items()}
    if os.environ.get("UPDATE_GOLDEN"):
        SAID.write_text("".join("\n  ".join([name, *said]) + "\n" for name, said in lines.items()))
    assert lines == _said()


def test_what_is_nearly_so_is_taken_on_every_cloud(
    judges: list[Judge], pods: Mapping[str, dict[str, Any]], example: Example
) -> None:
    refused: dict[tuple[str, str], str] = {}
    for judge in judges:
        for name, row in JOBS["taken"].items():
            refused[judge.cloud, f"job-{name}"] = judge(_job(example, row))
        for name, row in PODS["taken"].items():
            refused[judge.cloud, f"pod-{name}"] = judge(_pod(pods[judge.cloud], row), user=JOBS_PODS)
        for name, row in {**GPUS["taken"], **GPUS["warned"]}.items():
            refused[judge.cloud, f"gpus-{name}"] = judge(_maker(row), user=row.get("user"))
    assert {at: said for at, said in refused.items() if said} == {}


SEVERAL = {
    "aws": "100 of 3,200 Gb/s a machine at most (measured on A3 Mega: a thirteenth of the speed); use a TrainJob with "
    "the runtime training, or request vpc.amazonaws.com/efa: 32 and what else its pods have",
    "azure": "80 of 3,200 Gb/s a machine at most (measured on A3 Mega: a thirteenth of the speed); use a TrainJob with "
    "the runtime training, or request rdma/ib: 8 and what else its pods have",
    "gcp": "200 of 1,600 Gb/s a machine at most (measured on A3 Mega: a thirteenth of the speed); use a TrainJob with "
    "the runtime training, or request the annotation networking.gke.io/default-interface, the annotation "
    "networking.gke.io/interfaces, the annotation devices.gke.io/container.tcpxo-daemon and what else its pods have",
}


def test_who_takes_several_machines_without_the_fabric_is_told_what_tcp_costs(judges: list[Judge]) -> None:
    """What takes one, a part of each, or the fabric itself is told nothing."""
    one_by_one = ("job-in-a-queue", "job-of-one-machine", "job-of-many-pods-with-one-gpu", "serving-in-a-queue")
    silent = [GPUS["taken"][name] for name in (*one_by_one, "jobset-of-one-machine-and-a-driver")]
    for judge in judges:
        told = {name: judge.warning(_maker(row)) for name, row in GPUS["warned"].items()}
        assert {name for name, warning in told.items() if SEVERAL[judge.cloud] not in warning} == set()
        assert [judge.warning(_maker(row)) for row in silent] == [""] * len(silent)


def test_a_trainjob_on_several_machines_without_a_fabric_is_told_so(
    judges: list[Judge], example: Example, pools: Pools
) -> None:
    for judge in judges:
        told: dict[str, str] = {}
        for name, nodes in (("single-gpu", 1), ("single-gpu", 2), ("pytorch", 2)):
            job = example(name)
            job["spec"]["trainer"]["numNodes"] = nodes
            told[f"{name}-{nodes}"] = judge.warning(job)
        [dev] = [pool for pool in pools(judge.cloud) if pool.name == "dev"]
        assert told.pop("single-gpu-2") == Says("single-gpu", "TCP", f"{dev.shape.host_gbps} Gb/s", "runtime training")
        assert set(told.values()) == {""}


def test_beside_slurm_a_trainjob_on_several_machines_is_told_of_the_partition_with_the_fabric(
    tmp_path: Path, pools: Pools, example: Example
) -> None:
    definition = source_of("kubeflow-trainer", charts.TRAINER.version)
    assert definition is not None
    with open_server(tmp_path, find_binaries()) as server:
        judge = Judge("aws", Client(server), server)
        judge.client.define(definitions_of(definition))
        judge.client.apply(_namespace(NAMESPACE, STANDARDS["aws"]))
        _enforce(judge, pools("aws"), restricted=True, slurm=["training"])
        job = example("single-gpu")
        assert judge.warning(job) == ""
        job["spec"]["trainer"]["numNodes"] = 2
        wait_for("the rules are in force", lambda: judge.warning(job))
        assert judge.warning(job) == Says("single-gpu", "TCP", "partition training of Slurm")


def test_a_jobset_that_is_the_runtimes_template_has_the_fabric(judges: list[Judge], pools: Pools) -> None:
    """As the page tells users of JobSets; the same without its devices is told of."""
    for judge in judges:
        spec = copy.deepcopy(runtimes_of(pools(judge.cloud), home=False, registry=None)["training"]["template"]["spec"])
        job = spec["replicatedJobs"][0]["template"]["spec"]
        job |= {"parallelism": 2, "completions": 2}
        jobset = {**_maker({"kind": "JobSet", "queue": "training"}), "spec": spec}
        assert judge.warning(jobset) == ""
        job["template"]["metadata"]["annotations"] = {}
        job["template"]["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": 8}}
        assert SEVERAL[judge.cloud] in judge.warning(jobset)


@pytest.mark.parametrize("name", ["nccl-all-reduce", "single-gpu"])
def test_the_pods_of_every_runtime_are_taken(judges: list[Judge], expand: Expand, example: Example, name: str) -> None:
    job = example(name)
    for judge in judges:
        for made in expand(judge.cloud, job)["jobs"]:
            pod = _bare(made["metadata"]["name"])
            pod["spec"] = made["spec"]["template"]["spec"]
            assert judge(pod, user=JOBS_PODS) == "", judge.cloud


def test_pods_of_other_namespaces_are_left_to_their_own_standard(judges: list[Judge]) -> None:
    for judge in judges:
        pod = _bare("driver", "elsewhere")
        pod["spec"] |= {"hostNetwork": True, "volumes": [{"name": "a", "hostPath": {"path": "/"}}]}
        assert judge(pod) == ""


def test_kueue_alone_says_where_pods_go_and_what_it_said_stays(judges: list[Judge], example: Example) -> None:
    job = example("pytorch")
    job["metadata"]["name"] = "placed"
    job["spec"]["runtimePatches"] = [patched("node", {"spec": {"nodeSelector": {"kubernetes.io/hostname": "gpu-1"}}})]
    for judge in judges:
        assert "would keep the pods" in judge(job)
        assert judge(job, keep=True, user=KUEUE) == ""
        labelled = copy.deepcopy(job)
        labelled["metadata"]["labels"]["team"] = "ml"
        # Trainer says when a patch was last written.
        labelled["spec"]["runtimePatches"][0]["time"] = "2026-11-22T12:00:00Z"
        assert judge(labelled) == ""
        moved = copy.deepcopy(job)
        moved["spec"]["runtimePatches"] = [patched("node", {"spec": {"nodeSelector": {"gpucluster/pool": "system"}}})]
        assert "would keep the pods" in judge(moved)
        beside = copy.deepcopy(job)
        beside["spec"]["runtimePatches"] += [patched("node", {"spec": {"tolerations": []}}, "example.com/me")]
        assert "would keep the pods" in judge(beside)


def test_the_patch_that_kueues_webhook_lays_into_every_job_is_taken(judges: list[Judge], example: Example) -> None:
    job = example("pytorch")
    empty = {"trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": []}}}}
    job["spec"]["runtimePatches"] = [{"manager": "kueue.x-k8s.io/manager", **empty}]
    assert [judge(job) for judge in judges] == [""] * len(judges)


EXAMPLES = Path(__file__).parents[2] / "examples/jobs"


OF_SLICES, OF_FLEETS = "vscode.yaml", "fleet/whole-node.yaml"
"""Examples that need another cluster; of fleets see test_fleet.py."""


@pytest.mark.parametrize(
    "name", sorted({str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.yaml")} - {OF_SLICES, OF_FLEETS})
)
def test_every_example_is_taken_and_refused_without_its_queue(judges: list[Judge], name: str) -> None:
    for judge in judges:
        _taken_with_its_queue_alone(judge, name)


def _taken_with_its_queue_alone(judge: Judge, name: str) -> None:
    [document] = [it for it in yaml.safe_load_all((EXAMPLES / name).read_text()) if it["kind"] != "Service"]
    unqueued = copy.deepcopy(document)
    unqueued["metadata"]["name"] = "unqueued"
    del unqueued["metadata"]["labels"]
    assert judge(document) == ""
    assert "kueue.x-k8s.io/queue-name" in judge(unqueued)


@pytest.mark.parametrize("cloud", STANDARDS)
def test_the_example_of_a_slice_is_taken_where_all_slices_are_alike(
    judges: list[Judge], pools: Pools, cloud: str
) -> None:
    judge = next(judge for judge in judges if judge.cloud == cloud)
    restricted = STANDARDS[cloud] == "baseline"
    document = yaml.safe_load((EXAMPLES / OF_SLICES).read_text())
    assert "allowed: training, dev;" in judge(document)
    try:
        _enforce(judge, pools(cloud, mig=SLICES), restricted=restricted)
        wait_for("there is a queue of slices", lambda: not judge(document))
        _taken_with_its_queue_alone(judge, OF_SLICES)
    finally:
        _enforce(judge, pools(cloud), restricted=restricted)
        wait_for("there is none", lambda: judge(document))


def test_every_job_of_the_sweep_is_taken(judges: list[Judge]) -> None:
    done = subprocess.run([sys.executable, EXAMPLES / "sweep.py"], capture_output=True, text=True, check=True)
    jobs = json.loads(done.stdout)["items"]
    assert {(judge.cloud, judge(job)) for judge in judges for job in jobs} == {(judge.cloud, "") for judge in judges}


def test_nobody_but_kueue_lets_a_pod_with_gpus_start(judges: list[Judge]) -> None:
    gates = [{"name": "kueue.x-k8s.io/admission"}]
    held = _maker({"kind": "Pod", "queue": "dev", "gpus": 1, "pods": {"schedulingGates": gates}})
    held["metadata"]["name"] = "held"
    let_go = copy.deepcopy(held)
    del let_go["spec"]["schedulingGates"]
    labelled = copy.deepcopy(held)
    labelled["metadata"]["labels"]["team"] = "ml"
    for judge in judges:
        assert judge(held, keep=True) == ""
        assert "Kueue alone lets a pod with GPUs start" in judge(let_go)
        assert judge(labelled) == ""
        assert judge(let_go, keep=True, user=KUEUE) == ""


IMAGES = (
    "nvcr.io/nvidia/pytorch:24.10-py3",
    "nvcr.io/nvidia/pytorch:25.01-py3",
    "nvcr.io/nvidia/pytorch:25.02-py3",
    "nvcr.io/nvidia/pytorch:25.06-py3",
    "nvcr.io/nvidia/pytorch:25.08-py3",
    f"a.example:5000/mirror/nvidia/pytorch:26.01-py3@sha256:{'0' * 64}",
    f"nvcr.io/nvidia/pytorch@sha256:{'0' * 64}",
    "pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime",
    "pytorch/pytorch:2.7.1-cuda12.8-cudnn9-runtime",
    "docker.io/pytorch/pytorch:2.10.0-cuda13.0-cudnn9-runtime",
    "a.example/ours:v3",
    "a.example/ours:v3-cu118",
    "a.example/ours:v3-cu128",
    "a.example/ours:v3-cu130",
    "a.example/cu130/ours:v3",
    "a.example:5000/ours",
)
REFUSED = {
    1600: [IMAGES[4], IMAGES[5], IMAGES[9], IMAGES[11], IMAGES[13]],
    800: [IMAGES[2], IMAGES[3], IMAGES[4], IMAGES[5], IMAGES[8], IMAGES[9]],
}
"""Gb/s of a machine of Google Cloud -> the images that its fabric's plugin or NCCL does not load: with another CUDA
than 12 over TCPXO, with PyTorch 2.7 or later over TCPX."""


@pytest.mark.parametrize("gbps", REFUSED)
def test_an_image_is_refused_where_its_tag_says_that_it_cannot_load_the_fabric(
    judges: list[Judge], pools: Pools, example: Example, trial_training: dict[str, Any], gbps: int
) -> None:
    judge = next(judge for judge in judges if judge.cloud == "gcp")
    of_the_machine = pools("gcp", training={**trial_training, "fabric_gbps": gbps})
    release = of_the_machine[0].release
    _enforce(judge, of_the_machine, restricted=False)
    jobs = {image: _job(example, {"field": "spec.trainer.image", "value": image}) for image in IMAGES}
    wait_for("the rules are those of the machine", lambda: release.plugin_version in judge(jobs[REFUSED[gbps][0]]))
    said = {image: judge(job) for image, job in jobs.items()}
    assert [image for image, text in said.items() if text] == REFUSED[gbps]
    assert [image for image in IMAGES if misfit(release, image)] == REFUSED[gbps]
    assert all(f"choose another, such as {release.pytorch}" in said[image] for image in REFUSED[gbps])


def test_an_image_of_one_gpu_or_of_another_cloud_is_left_to_its_owner(judges: list[Judge], example: Example) -> None:
    for judge in judges:
        of_one_gpu = [{"job": "single-gpu", "field": "spec.trainer.image", "value": image} for image in IMAGES]
        over_the_fabric = [] if judge.cloud == "gcp" else [{**row, "job": "pytorch"} for row in of_one_gpu]
        assert [judge(_job(example, row)) for row in (*of_one_gpu, *over_the_fabric) if judge(_job(example, row))] == []
