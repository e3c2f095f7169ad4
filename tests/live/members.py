"""What a member of a team types on a cluster with teams: kubectl, and Kubeflow's SDK, which administrators use, too."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest
from kubeflow.common.types import KubernetesBackendConfig
from kubeflow.trainer import CustomTrainer, TrainerClient
from kubeflow.trainer.options import Labels
from kubernetes import client
from kubernetes.client.exceptions import ApiException

from tests.live.harness import Live
from tests.live.teams import GROUP, condition, job_of, running

_QUEUE = {"kueue.x-k8s.io/queue-name": "training", "kueue.x-k8s.io/priority-class": "medium"}
_HIDDEN = "Trainer control-plane version info is not available"
"""What the SDK logs if it may not read the version of Trainer."""


def _train() -> None:
    print("step 0")


def _sdk(live: Live, monkeypatch: pytest.MonkeyPatch, group: str | None) -> TrainerClient:
    """A client in the namespace of a team. group: that its user is in; None for an administrator."""
    server = live.cluster.server
    config = client.Configuration(host=server.url, api_key={"authorization": f"Bearer {server.token}"})
    config.ssl_ca_cert = str(server.authority)  # pyright: ignore[reportAttributeAccessIssue] - it begins as None

    class As(client.ApiClient):
        """Acts for somebody, which the SDK has no setting for."""

        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            if group is not None:
                self.default_headers |= {"Impersonate-User": "ada", "Impersonate-Group": group}

    monkeypatch.setattr("kubeflow.trainer.backends.kubernetes.backend.client.ApiClient", As)
    return TrainerClient(KubernetesBackendConfig(namespace="team-vision", client_configuration=config))


@pytest.mark.parametrize("who", ["a member", "an administrator"])
def test_kubeflows_sdk_lists_trains_gets_and_deletes(
    live: Live, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, who: str
) -> None:
    """The SDK lists three runtimes and submits a function on two nodes: two pods run. It deletes the job."""
    sdk = _sdk(live, monkeypatch, GROUP[live.cloud] if who == "a member" else None)
    assert _HIDDEN not in caplog.text
    found = {it.name: (it.trainer.framework, it.trainer.device_count) for it in sdk.list_runtimes()}
    assert found == {"training": ("torch", "8"), "training-mpi": ("mpi", "8"), "single-gpu": ("torch", "1")}
    name = sdk.train(runtime="training", trainer=CustomTrainer(func=_train, num_nodes=2), options=[Labels(_QUEUE)])
    try:
        pods = running(live, "vision", 2)
        job = sdk.get_job(name)
        assert (job.runtime.name, job.num_nodes) == ("training", 2)
        assert {(step.pod_name, step.status) for step in job.steps} == {
            (pod["metadata"]["name"], "Running") for pod in pods
        }
        assert name in [one.name for one in sdk.list_jobs()]
        # Of events of the newer API the SDK takes none: they have no `firstTimestamp`.
        assert {event.involved_object_kind for event in sdk.get_job_events(name)} <= {
            "TrainJob",
            "JobSet",
            "Job",
            "Pod",
        }
        # No container runs on these machines: the request is granted, and no kubelet answers it.
        with pytest.raises(RuntimeError, match="Failed to read logs") as caught:
            list(sdk.get_job_logs(name))
        assert isinstance(caught.value.__cause__, ApiException)
        assert caught.value.__cause__.status not in (401, 403)
    finally:
        sdk.delete_job(name)
    live.wait_until("no pod is left", lambda: not live.client.list("v1", "Pod", namespace="team-vision") or None)


def test_kubeflows_sdk_without_a_queue_is_told_which_label_it_lacks(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK submits without an option for labels. The API server refuses the job and names the label."""
    sdk = _sdk(live, monkeypatch, GROUP[live.cloud])
    with pytest.raises(RuntimeError) as caught:
        sdk.train(runtime="training", trainer=CustomTrainer(func=_train, num_nodes=2))
    assert "metadata.labels has no kueue.x-k8s.io/queue-name" in str(caught.value.__cause__)


def _kubectl(live: Live, command: str, document: Mapping[str, Any] | None = None) -> tuple[str, str]:
    """What kubectl writes for a member of the team, and what it says beside. document: for its input."""
    config = live.cluster.server.kubeconfig()
    config["users"][0]["user"] |= {"as": "ada", "as-groups": [GROUP[live.cloud]]}
    file = live.cluster.folder / "member"
    file.write_text(json.dumps(config))
    if document is not None and command.startswith("create"):
        live.left.append(document)
    done = subprocess.run(
        [str(live.cluster.kubectl), "--kubeconfig", str(file), "--namespace", "team-vision", *command.split()],
        input=json.dumps(document),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_a_member_of_a_team_stops_a_job_and_resumes_it(live: Live) -> None:
    """A job runs on two nodes. `spec.active: false` of its Workload ends its pods, `true` brings both back."""
    _kubectl(live, "create -f -", job_of("vision", "paused", nodes=2))
    running(live, "vision", 2)
    workload = _kubectl(live, "get workloads -o name")[0].strip()
    _kubectl(live, f'patch {workload} --type merge -p {{"spec":{{"active":false}}}}')
    live.wait_until("no pod is left", lambda: not live.client.list("v1", "Pod", namespace="team-vision") or None)
    live.wait_until("it is stopped", lambda: condition(live, "vision", "Evicted"))
    _kubectl(live, f'patch {workload} --type merge -p {{"spec":{{"active":true}}}}')
    running(live, "vision", 2)


def test_a_member_of_a_team_takes_the_fabric_for_a_jobset_of_its_own(live: Live) -> None:
    """A JobSet from the runtime's template runs on two nodes with their interfaces, and nobody is warned."""
    runtime = json.loads(_kubectl(live, "get clustertrainingruntime training -o json")[0])
    spec = runtime["spec"]["template"]["spec"]
    spec["replicatedJobs"][0]["template"]["spec"] |= {"parallelism": 2, "completions": 2}
    metadata = {"name": "mine", "namespace": "team-vision", "labels": _QUEUE}
    jobset = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": spec}
    assert "Warning" not in _kubectl(live, "create -f -", jobset)[1]
    pods = running(live, "vision", 2)
    assert len({pod["spec"]["nodeName"] for pod in pods}) == 2
    limits = [pod["spec"]["containers"][0]["resources"]["limits"] for pod in pods]
    assert limits == [{"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}] * 2


def test_who_takes_two_nodes_without_their_fabric_is_warned_and_gets_them(live: Live) -> None:
    """A Job of two whole machines does not request the fabric. kubectl prints what TCP costs; both pods run."""
    container = {"name": "it", "image": "it:1", "resources": {"limits": {"nvidia.com/gpu": 8}}}
    taint = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    pod = {"restartPolicy": "Never", "tolerations": [taint], "containers": [container]}
    spec = {"parallelism": 2, "completions": 2, "template": {"spec": pod}}
    metadata = {"name": "tcp", "namespace": "team-vision", "labels": _QUEUE}
    said = _kubectl(live, "create -f -", {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec})[
        1
    ]
    assert "NCCL will use TCP, 100 of 3,200 Gb/s a machine at most" in said
    running(live, "vision", 2)
