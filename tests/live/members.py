"""Kubeflow's SDK on a cluster with teams, as a member of a team and as an administrator type it."""

from __future__ import annotations

from typing import Any

import pytest
from kubeflow.common.types import KubernetesBackendConfig
from kubeflow.trainer import CustomTrainer, TrainerClient
from kubeflow.trainer.options import Labels
from kubernetes import client
from kubernetes.client.exceptions import ApiException

from tests.live.harness import Live
from tests.live.teams import GROUP, running

_QUEUE = {"kueue.x-k8s.io/queue-name": "training", "kueue.x-k8s.io/priority-class": "medium"}
_HIDDEN = "Trainer control-plane version info is not available"
"""What the SDK logs if it may not read the version of Trainer."""


def _train() -> None:
    import torch

    print(torch.cuda.device_count())


def _sdk(live: Live, monkeypatch: pytest.MonkeyPatch, group: str | None) -> TrainerClient:
    """A client in the namespace of a team. group: that its user is in; None for an administrator."""
    server = live.cluster.server
    config = client.Configuration(host=server.url, api_key={"authorization": f"Bearer {server.token}"})
    config.ssl_ca_cert = str(server.authority)

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
