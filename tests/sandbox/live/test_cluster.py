"""What the last lines of an `up` say of a live cluster."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from gpucluster.components.kubernetes.objects.charts import JOBSET, KUEUE, SLURM, TRAINER
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.live.charts import CHARTS
from gpucluster.sandbox.live.cluster import remarks
from gpucluster.sandbox.live.controllers import Site
from tests.sandbox.live.nodes.conftest import SCOPE, entry, managed


def test_a_program_of_another_version_than_the_stacks_chart_is_named(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    pinned = {"kueue": KUEUE.version, "jobset": JOBSET.version, "kubeflow-trainer": TRAINER.version}
    for name, version in pinned.items():
        inputs = {"chart": f"oci://charts/{name}", "version": version, "name": name, "namespace": "a"}
        ledger.put(entry(RELEASE, name, scope=SCOPE, provider="kubernetes", inputs=inputs))
    server = Server(url="https://127.0.0.1:1", token="t", authority=tmp_path / "a.crt", folder=tmp_path, living=True)
    site = Site(server=server, client=cast(Client, None), ledger=ledger, scope=SCOPE, folder=tmp_path, say=print)
    said = remarks(site, ["kueue", "jobset", "trainer"], [], requested=True)
    ours = f"kueue {CHARTS['kueue'].version} runs, the stack has {KUEUE.version}"
    assert [line.partition(": ")[2] for line in said if "the stack has" in line] == [ours]


def test_slurms_operator_is_said_to_run_without_slurm_itself(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    for name in ("slurm-operator-crds", "slurm-operator"):
        inputs = {"chart": f"oci://charts/{name}", "version": SLURM.version, "name": name, "namespace": "slinky"}
        ledger.put(entry(RELEASE, name, scope=SCOPE, provider="kubernetes", inputs=inputs))
    server = Server(url="https://127.0.0.1:1", token="t", authority=tmp_path / "a.crt", folder=tmp_path, living=True)
    site = Site(server=server, client=cast(Client, None), ledger=ledger, scope=SCOPE, folder=tmp_path, say=print)
    said = remarks(site, ["slurm-operator"], [], requested=True)
    assert [line for line in said if "slurmrestd" in line or "not running" in line] == [
        "  slurm-operator: no slurmrestd answers it here, so it does not ask Slurm for the state of its nodes"
    ]
    said = remarks(site, ["kueue"], [], requested=True)
    assert [line for line in said if "slurm" in line] == ["  not running here: slurm-operator"]


def test_a_pool_that_only_the_clouds_own_autoscaler_would_grow_is_named(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    cluster = "projects/p/locations/r/clusters/one"
    ledger.put(entry("gcp:container/cluster:Cluster", cluster, {"endpoint": SCOPE[8:]}))
    ledger.put(managed("ComputeClass", "dev"))
    server = Server(url="https://127.0.0.1:1", token="t", authority=tmp_path / "a.crt", folder=tmp_path, living=True)
    site = Site(server=server, client=cast(Client, None), ledger=ledger, scope=SCOPE, folder=tmp_path, say=print)
    assert remarks(site, ["kueue"], [], requested=True)[-1] == (
        "  pool dev: no machine starts here, because the cloud's own autoscaler does not run"
    )
