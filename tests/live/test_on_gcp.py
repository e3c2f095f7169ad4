from __future__ import annotations

import base64
import json
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress

import pytest

from gpucluster.components.kubernetes.telemetry.plan import JOBSET, KUEUE, TRAINER, ScrapeTarget
from gpucluster.core.text.type_guards import mapping
from gpucluster.operate.jobs.end import end_pods, find, jobs_in
from gpucluster.sandbox.api_server.client import ObjectRefused
from gpucluster.sandbox.live import node_events
from tests.live.accepted import *  # noqa: F403 - its scenarios, on this cloud
from tests.live.conftest import brought_up
from tests.live.everywhere import *  # noqa: F403 - its scenarios, on this cloud
from tests.live.harness import Live, trainjob
from tests.live.rehearsed import *  # noqa: F403 - the same

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """The trial stack on this cloud."""
    yield from brought_up(tmp_path_factory.mktemp("gcp"), "gcp")


def test_maintenance_of_a_host_moves_its_job(live: Live) -> None:
    """A job runs on two nodes. GKE announces maintenance of one and stops its pods: the job runs again elsewhere."""
    live.submit(trainjob("pytorch"))
    going = live.running("pytorch", 2)[0]
    said = node_events.interrupt(live.client, live.node(going), live.entry)
    assert said == "GKE marks the maintenance as ongoing, keeps new pods away and stops those of the node"
    assert live.node(going)["metadata"]["labels"]["cloud.google.com/active-node-maintenance"] == "ONGOING"
    live.wait_until("no pod is left there", lambda: live.leaves("pytorch", going))
    assert going not in live.running("pytorch", 2)
    assert live.restarts() == (1, 0)


def _metrics(live: Live, program: str, token: str = "") -> tuple[int, str]:
    """The status and the answer of a program's own endpoint of metrics."""
    [file] = (live.cluster.folder / program).glob("configuration-*.json")
    address = json.loads(file.read_text())["metrics"]["bindAddress"]
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(f"https://{address}/metrics", headers=headers)
    # As the collectors do: the program signs its certificate itself.
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    handlers = urllib.request.HTTPSHandler(context=trusting), urllib.request.ProxyHandler({})
    try:
        with urllib.request.build_opener(*handlers).open(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, ""


def _token(live: Live, namespace: str) -> str:
    """Of the secret that Google's collector may read there."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "metrics-reader", "namespace": namespace}}

    def look() -> str | None:
        return mapping(mapping(live.client.get(secret)).get("data")).get("token")

    return base64.b64decode(live.wait_until(f"the token of {namespace} is there", look)).decode()


def _kept(target: ScrapeTarget, text: str) -> set[str]:
    """The names of the metrics that a collector keeps of an answer."""
    names: set[str] = set()
    for name, labels in re.findall(r"^([a-z_]+)(?:\{(.*)\})? \S+$", text, re.MULTILINE):
        found = {**dict(re.findall(r'(\w+)="([^"]*)"', labels)), "__name__": name}
        if all(re.fullmatch(expression, found.get(label, "")) for label, expression in target.keep.items()):
            names.add(name)
    return names


def test_kueue_tells_its_metrics_to_the_token_of_the_stack_alone(live: Live) -> None:
    """A job runs. Kueue refuses a reader without a token; that of the stack reads what the alerts need."""
    live.submit(trainjob("pytorch", priority_class="high"))
    live.running("pytorch", 2)
    assert _metrics(live, "kueue") == (401, "")
    code, text = _metrics(live, "kueue", _token(live, "kueue-system"))
    assert code == 200
    # The counter of evictions is there from the first one on, which another scenario may have had.
    assert _kept(KUEUE, text) - {"kueue_evicted_workloads_total"} == {
        *(f"kueue_admission_wait_time_seconds_{part}" for part in ("count", "sum")),
        *(f"kueue_cluster_queue_{part}" for part in ("nominal_quota", "resource_usage", "status")),
        "kueue_pending_workloads",
    }


def test_a_failed_job_is_counted_by_its_name(live: Live) -> None:
    """A job runs. Its containers fail until no restart is left: JobSet counts it. Trainer has metrics for everybody."""
    live.submit(trainjob("pytorch"))
    token = _token(live, "jobset-system")
    failed = 'jobset_failed_total{jobset_name="pytorch",namespace="training"} 1'

    def look() -> bool | None:
        if failed in _metrics(live, "jobset", token)[1]:
            return True
        running = [pod["metadata"]["name"] for pod in live.pods("pytorch") if pod["status"].get("phase") == "Running"]
        with suppress(ObjectRefused):  # a restart has just taken it away
            found = find(jobs_in(live.client), "pytorch", "training")
            end_pods(live.client, found, 1, running[:1])
        return None

    live.wait_until("JobSet counts the job", look)
    assert _kept(JOBSET, _metrics(live, "jobset", token)[1]) == {
        "controller_runtime_reconcile_errors_total",
        "jobset_failed_total",
    }
    code, text = _metrics(live, "trainer")
    assert (code, _kept(TRAINER, text)) == (200, {"controller_runtime_reconcile_errors_total"})
