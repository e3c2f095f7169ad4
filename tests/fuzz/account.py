"""Files around a project and an account, and what `pulumi` and `kubectl` answer about them."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.bills.planned import planned_lines
from gpucluster.program.readers.files import read_text
from gpucluster.sandbox.clouds.sdk import installed_sdks, site_packages
from gpucluster.sandbox.project import find_project
from gpucluster.sandbox.recovery.state import state_files
from tests.cost.bills.generator import CUR2, FOCUS, bill_of, write_csv
from tests.fuzz.kind import Kind, forms, texts
from tests.fuzz.programs import ANSWERS

__all__ = ["KINDS", "READERS"]


def _bills() -> list[str]:
    """In both formats, a dozen rows each."""
    resources = read_text(texts("tests/cost/bills/trials/aws.json")[0], "plan")
    items = bill_of("aws", planned_lines(estimate(resources, PriceBook())), resources, days=1)[:12]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bill.csv"
        return [write_csv(file, items, form).read_text() for form in (FOCUS, CUR2)]


_BILLS: Final = _bills()
_RECONCILED: Final = [
    *forms("cost reconcile TRIAL --bill FILE", "table", "json", "csv", "markdown"),
    *forms("cost reconcile TRIAL --bill BILL --bill FILE", "table"),
]
_CONNECT: Final = [["connect", "--kubeconfig", "OUT"], ["connect", "--stack", "dev", "--use", "--kubeconfig", "OUT"]]
_STANDING: Final = [
    *(["reap", "--stack", "dev"], ["reap", "--stack", "dev", "--yes"]),
    *(["pause", "--stack", "dev", "--yes"], ["resume", "--stack", "dev", "--yes"], ["upgrade", "--plan"]),
]
_MEASURED: Final = [["acceptance", "run", "--dry-run", "--results", "OUT"], ["the measured cluster"]]

KINDS: Final[Mapping[str, Kind]] = {
    "project": Kind(
        seeds=[
            *texts("Pulumi.yaml"),
            "name: gpucluster\nmain: stacks\nstackConfigDir: stacks\n"
            "runtime: {name: python, options: {virtualenv: .venv}}\n",
            "name: gpucluster\nstackConfigDir: stacks\nruntime: yaml\n"
            "resources: {data: {type: 'aws:s3:Bucket', properties: {bucket: data}}}\n",
        ],
        structure="yaml",
        name="Pulumi.yaml",
        alone=True,
        commands=[
            ["check", "--stack", "aws-trial"],
            ["telemetry", "rules", "--stack", "aws-trial"],
            ["leftovers", "--stack", "aws-trial"],
            ["sandbox", "status"],
            ["the project of the sandbox"],
        ],
    ),
    "kubeconfig": Kind(
        seeds=[
            "apiVersion: v1\nkind: Config\npreferences: {}\ncurrent-context: work\n"
            "clusters: [{name: work, cluster: {server: 'https://work.example', insecure-skip-tls-verify: true}}]\n"
            "contexts: [{name: work, context: {cluster: work, user: ada, namespace: a}}]\n"
            "users: [{name: ada, user: {auth-provider: {config: {expiry: 2026-11-23T10:00:00Z}}}}]\n",
            "clusters:\n- {name: trial-aws-trial, cluster: {server: https://one.example}}\ncontexts:\n"
            "- name: trial-aws-trial\n  context:\n    cluster: trial-aws-trial\n    user: trial-aws-trial\n"
            "    extensions:\n"
            "    - {name: gpucluster, extension: {account: '000000000000', cluster: trial-aws-trial}}\n"
            "users:\n- {name: trial-aws-trial, user: {exec: {command: aws}}}\n",
        ],
        structure="yaml",
        name="config",
        programs=True,
        commands=[
            ["connect", "--kubeconfig", "FILE"],
            ["connect", "--kubeconfig", "FILE", "--context", "work"],
            ["connect", "--kubeconfig", "FILE", "--use"],
        ],
    ),
    "bill": Kind(seeds=_BILLS, structure="csv", name="bill.csv", commands=_RECONCILED),
    "packed bill": Kind(seeds=_BILLS, structure="csv", name="bill.csv.gz", commands=_RECONCILED, packed=True),
    "price variable": Kind(
        seeds=["PRICES", "prices/own.csv", "PLAN"],
        structure="",
        name="variable",
        variable="GPUCLUSTER_PRICES",
        commands=forms("cost report PLAN", "table"),
    ),
    "kubeconfig variable": Kind(
        seeds=["config", "one:two", "no/folder/config"],
        structure="",
        name="variable",
        variable="KUBECONFIG",
        programs=True,
        alone=True,
        commands=[["connect"]],
    ),
    "option": Kind(
        seeds=["PLAN", "dev", "prices/own.csv"],
        structure="",
        name="variable",
        alone=True,
        programs=True,
        commands=[
            ["cost", "report", "TEXT"],
            ["cost", "report", "PLAN", "--prices", "TEXT"],
            ["cost", "diff", "PLAN", "TEXT"],
            ["cost", "reconcile", "TRIAL", "--bill", "TEXT"],
            ["check", "--stack", "TEXT"],
            ["connect", "--kubeconfig", "OUT", "--stack", "TEXT"],
            ["connect", "--kubeconfig", "TEXT"],
            ["connect", "--kubeconfig", "OUT", "--context", "TEXT"],
            ["reap", "--stack", "TEXT"],
            ["acceptance", "topology", "--context", "TEXT"],
            ["acceptance", "topology", "TEXT"],
        ],
    ),
    **{
        f"pulumi {words}": Kind(
            seeds=[ANSWERS[words]],
            structure="json",
            name="answer.json",
            programs=True,
            answer=words,
            commands=commands,
        )
        for words, commands in {
            "stack output": _CONNECT,
            "stack export": _STANDING,
            "stack ls": [["reap", "--all"]],
            "preview --stack dev": [["cost", "report", "--run", "pulumi preview --stack dev", "--quiet"]],
        }.items()
    },
    **{
        f"kubectl {words}": Kind(
            seeds=[ANSWERS[words]],
            structure="json",
            name="answer.json",
            programs=True,
            answer=words,
            fails=not words.startswith("get"),  # a cluster that refuses is a fault of it, with exit code 3
            commands=commands,
        )
        for words, commands in {
            "create --raw": _CONNECT,
            "get nodes": [["acceptance", "topology"], *_MEASURED],
            "get pods": _MEASURED,
            "get clusterqueue": _MEASURED,
            "get job": [["the measured cluster"]],
        }.items()
    },
}


def _project(file: Path) -> None:
    project = find_project(file.parent)
    assert project is not None
    _ = (project.name, project.runtime, project.stacks(), project.stack_file("dev").exists(), state_files(project))
    installed_sdks(site_packages(project.virtualenv))


def _measured(file: Path) -> None:
    """Waiting takes no time, and looking at the clock ten minutes."""
    from gpucluster.acceptance.promises import Promises
    from gpucluster.acceptance.runs.session import accept, seen

    minutes = itertools.count(step=10)
    clock = SimpleNamespace(monotonic=lambda: 60.0 * next(minutes), sleep=lambda _: None)
    results = file.with_suffix(".results")
    with mock.patch("gpucluster.acceptance.runs.collect.time", clock):
        accept(seen(None, force=True), results, Promises(), level=1, pairs="auto", say=lambda _: None)


READERS: Final[Mapping[str, Callable[[Path], Any]]] = {
    "the project of the sandbox": _project,
    "the measured cluster": _measured,
}
"""What a command reads before it starts an engine, or without the wait."""
