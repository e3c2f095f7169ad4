"""A release of the stack as a program: what its chart makes of the values, and what is another here."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.live.charts import CHARTS
from gpucluster.sandbox.live.controllers import Site
from gpucluster.sandbox.live.programs import find_program
from gpucluster.sandbox.live.release import Running, running

pytestmark = pytest.mark.slow

KUEUE: dict[str, Any] = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "health": {"healthProbeBindAddress": ":8081"},
    "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
    "webhook": {"port": 9443},
    "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
    "managedJobsNamespaceSelector": {"matchLabels": {"queued": "yes"}},
    "integrations": {"frameworks": ["batch/job"]},
}
RELEASE: dict[str, Any] = {
    "name": "kueue",
    "namespace": "kueue-system",
    "values": {
        "managerConfig": {"controllerManagerConfigYaml": json.dumps(KUEUE)},
        "controllerManager": {"featureGates": [{"name": "LocalQueueMetrics", "enabled": True}]},
    },
}


@dataclass(frozen=True, kw_only=True)
class PaperSite(Site):
    """Where nothing but the renderer is built."""

    def program(self, name: str) -> Path:
        return find_program(name, print) if name == "render" else Path("/programs") / name


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    (tmp_path / "apiserver.crt").write_text("certificate")
    (tmp_path / "apiserver.key").write_text("key")
    authority = tmp_path / "apiserver.crt"
    folder = tmp_path / "live"
    folder.mkdir()
    ledger = Ledger(tmp_path / "ledger")
    yield PaperSite(
        server=Server(url="https://127.0.0.1:1", token="t", authority=authority, folder=tmp_path, living=True),
        client=Client.__new__(Client),
        ledger=ledger,
        scope="scope",
        folder=folder,
        say=print,
    )
    ledger.close()


def _configuration(it: Running) -> dict[str, Any]:
    (flag,) = [word for word in it.controller.command if word.startswith("--config=")]
    return json.loads(Path(flag.removeprefix("--config=")).read_text())


def test_the_values_of_the_stack_are_what_the_program_reads_but_for_where_it_listens(site: Site) -> None:
    it = running(CHARTS["kueue"], RELEASE, site)
    found = _configuration(it)
    webhook, health, metrics = found.pop("webhook"), found.pop("health"), found.pop("metrics")
    assert found == {
        **{key: value for key, value in KUEUE.items() if key not in ("webhook", "health", "metrics")},
        "leaderElection": {"leaderElect": False, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "internalCertManagement": {"enable": False},
    }
    certificates = site.folder / "kueue" / "k8s-webhook-server" / "serving-certs"
    assert webhook == {"host": "127.0.0.1", "port": webhook["port"], "certDir": str(certificates)}
    assert health == {"healthProbeBindAddress": f"127.0.0.1:{it.controller.ready}"}
    assert metrics.pop("bindAddress").startswith("127.0.0.1:")
    assert metrics == {"enableClusterQueueResources": True}
    assert (certificates / "tls.crt").read_text() == "certificate"
    assert (certificates / "tls.key").read_text() == "key"


def test_its_flags_are_those_of_the_chart_and_it_acts_as_the_service_account_of_the_chart(site: Site) -> None:
    it = running(CHARTS["kueue"], RELEASE, site)
    program, *flags = it.controller.command
    assert program == "/programs/kueue"
    assert [flag.partition("=")[0] if flag.startswith("--config") else flag for flag in flags] == [
        "--config",
        "--zap-log-level=2",
        "--feature-gates=LocalQueueMetrics=true,VisibilityOnDemand=false",
    ]
    (user,) = json.loads(Path(it.controller.environment["KUBECONFIG"]).read_text())["users"]
    assert user["user"] == {
        "token": "t",
        "as": "system:serviceaccount:kueue-system:kueue-controller-manager",
        "as-groups": ["system:serviceaccounts", "system:serviceaccounts:kueue-system", "system:authenticated"],
    }
    kinds = {document["kind"] for document in it.objects}
    assert kinds == {"ClusterRole", "ClusterRoleBinding", "ConfigMap", "Role", "RoleBinding", "ServiceAccount"}


def test_the_webhooks_keep_their_selectors_and_policies_and_lead_to_the_program(site: Site) -> None:
    it = running(CHARTS["kueue"], RELEASE, site)
    port = _configuration(it)["webhook"]["port"]
    hooks = {hook["name"]: hook for document in it.webhooks for hook in document["webhooks"]}
    assert hooks["mjob.kb.io"]["namespaceSelector"] == KUEUE["managedJobsNamespaceSelector"]
    assert hooks["mjob.kb.io"]["failurePolicy"] == "Fail"
    assert hooks["mjob.kb.io"]["clientConfig"] == {
        "url": f"https://127.0.0.1:{port}/mutate-batch-v1-job",
        "caBundle": base64.b64encode(b"certificate").decode(),
    }
    assert {
        hook["clientConfig"]["url"].partition("/mutate")[0].partition("/validate")[0] for hook in hooks.values()
    } == {f"https://127.0.0.1:{port}"}


@pytest.mark.parametrize(
    ("chart", "namespace", "manages"),
    [("jobset", "jobset-system", "internalCertManagement"), ("kubeflow-trainer", "kubeflow-system", "certManagement")],
)
def test_the_other_charts_have_all_that_is_replaced(site: Site, chart: str, namespace: str, manages: str) -> None:
    values: dict[str, Any] = {"jobset": {"install": False}} if chart == "kubeflow-trainer" else {}
    it = running(CHARTS[chart], {"name": chart, "namespace": namespace, "values": values}, site)
    found = _configuration(it)
    assert found[manages] == {"enable": False}
    assert found["webhook"]["host"] == "127.0.0.1"
    assert found["leaderElection"]["leaderElect"] is False
    assert it.webhooks
    # Helm puts what names no namespace into the release's.
    placed = [document for document in it.objects if document["kind"] in ("ConfigMap", "Role", "RoleBinding")]
    assert {document["metadata"].get("namespace") for document in placed} == {namespace}


def test_a_program_without_a_configuration_file_gets_the_flags_of_its_chart_and_listens_here_only(site: Site) -> None:
    values = {"webhook": {"enabled": False}, "certManager": {"enabled": False}, "operator": {"logLevel": "debug"}}
    it = running(CHARTS["slurm-operator"], {"name": "slurm-operator", "namespace": "slinky", "values": values}, site)
    program, *flags = it.controller.command
    assert program == "/programs/slurm-operator"
    assert flags[flags.index("--zap-log-level") + 1] == "debug"
    # Of flags that repeat, the last one holds.
    assert flags[-3] == f"--health-addr=127.0.0.1:{it.controller.ready}"
    assert flags[-2].startswith("--metrics-addr=127.0.0.1:")
    assert flags[-1] == "--leader-elect=false"
    (user,) = json.loads(Path(it.controller.environment["KUBECONFIG"]).read_text())["users"]
    assert user["user"]["as"] == "system:serviceaccount:slinky:slurm-operator"
    assert ({document["kind"] for document in it.objects}, it.webhooks) == (
        {"ClusterRole", "ClusterRoleBinding", "ServiceAccount"},
        [],
    )


def test_another_configuration_is_another_command(site: Site) -> None:
    first = running(CHARTS["jobset"], {"name": "jobset", "namespace": "a", "values": {}}, site).controller.command
    second = running(CHARTS["jobset"], {"name": "jobset", "namespace": "a", "values": {}}, site).controller.command
    assert first != second, "its ports are others"


def test_values_that_the_chart_refuses_are_said_in_the_words_of_helm(site: Site) -> None:
    values = {"managerConfig": {"controllerManagerConfigYaml": 7}}
    with pytest.raises(EngineError, match=r"The chart kueue .* refuses the values of the stack: "):
        running(CHARTS["kueue"], {"name": "kueue", "namespace": "a", "values": values}, site)
