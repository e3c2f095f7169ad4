"""The project as a user has it, in a folder of its own, and the commands a user types there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err


@dataclass(frozen=True)
class Project:
    """A copy of the project; its sandbox is its own."""

    path: Path

    def run(self, *args: str, before: tuple[str, ...] = ()) -> Done:
        done = subprocess.run(
            [*before, str(BIN / "gpucluster"), *args],
            cwd=self.path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def pulumi(self, *args: str, stack: str = "aws-trial") -> Done:
        return self.run("sandbox", "pulumi", *args, "--stack", stack)

    def judged(self, *args: str, stack: str) -> Done:
        """The same, with a real API server for the Kubernetes objects."""
        return self.run("sandbox", "--kubernetes", "real", "pulumi", *args, "--stack", stack)

    def kubectl(self, *args: str, stack: str) -> Done:
        """On the real API server of a stack that stands."""
        return self.run("sandbox", "kubectl", "--stack", stack, *args)

    def outputs(self, stack: str) -> dict[str, Any]:
        """What a stack that stands exports, its kubeconfig read."""
        done = self.pulumi("stack", "output", "--json", stack=stack)
        assert done.code == 0, done.text
        found = json.loads(done.out)
        return {**found, "kubeconfig": json.loads(found["kubeconfig"])}

    def plan(self) -> dict[str, Any]:
        done = self.pulumi("preview", "--json", "--show-sames")
        assert done.code == 0, done.text
        return json.loads(done.out)

    def report(self, text: str) -> dict[str, Any]:
        (self.path / "plan.json").write_text(text)
        done = self.run("cost", "report", "plan.json", "--format", "json")
        assert done.code == 0, done.text
        return json.loads(done.out)

    def change(self, file: str, old: str, new: str) -> None:
        path = self.path / file
        text = path.read_text()
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new))

    def ledger(self) -> list[dict[str, Any]]:
        done = self.run("sandbox", "status", "--format", "json")
        assert done.code == 0, done.text
        return json.loads(done.out)["resources"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return _copy(tmp_path)


@pytest.fixture(scope="session")
def copy() -> Callable[[Path], Project]:
    return _copy


def _copy(path: Path) -> Project:
    shutil.copy(ROOT / "Pulumi.yaml", path)
    for folder in ("stacks", "policies"):
        shutil.copytree(ROOT / folder, path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (path / ".venv").symlink_to(ROOT / ".venv")
    return Project(path)


@pytest.fixture(scope="session")
def judge_jobs() -> Callable[[Project, str], None]:
    """Has the API server of a stack that stands judge the example jobs as they are, and jobs without their fabric."""
    return _judge_jobs


def _judge_jobs(project: Project, stack: str) -> None:
    jobs = ROOT / "examples" / "jobs"
    # VS Code runs on a slice of a GPU, and trials have no queue `mig`.
    files = [f"--filename={file}" for file in sorted(jobs.glob("*.yaml")) if file.name != "vscode.yaml"]
    taken = project.kubectl("create", "--dry-run=server", "--output=name", *files, stack=stack)
    assert taken.out.split() == [
        "job.batch/array",
        "job.batch/batch",
        "job.batch/copy-in",
        "job.batch/copy-out",
        "trainjob.trainer.kubeflow.org/nccl-all-reduce",
        "statefulset.apps/notebook",
        "trainjob.trainer.kubeflow.org/pytorch",
        "trainjob.trainer.kubeflow.org/resume",
        "deployment.apps/serving",
        "service/serving",
        "trainjob.trainer.kubeflow.org/single-gpu",
    ], taken.text
    acceptance = project.run("acceptance", "run", "--dry-run", "--nodes", "4", "--spares", "1")
    (project.path / "acceptance.yaml").write_text(acceptance.out)
    measured = project.kubectl(
        "create", "--dry-run=server", "--output=name", "--filename=acceptance.yaml", "--namespace=training", stack=stack
    )
    assert (measured.code, len(measured.out.split())) == (0, acceptance.out.count("apiVersion:")), measured.text
    wrong = {
        "resourcesPerNode: {limits: {nvidia.com/gpu: 8}}": "spec.trainer.resourcesPerNode changes what a pod",
        "env: [{name: NCCL_NET, value: Socket}]": "spec.trainer.env sets what decides about the fabric",
        "numNodez: 2": 'unknown field "spec.trainer.numNodez"',
    }
    for index, line in enumerate(wrong):
        text = (jobs / "pytorch.yaml").read_text().replace("  trainer:\n", f"  trainer:\n    {line}\n", 1)
        (project.path / f"wrong-{index}.yaml").write_text(text)
    files = [f"--filename={project.path / f'wrong-{index}.yaml'}" for index in range(len(wrong))]
    refused = project.kubectl("create", "--dry-run=server", *files, stack=stack)
    assert (refused.code, refused.out) == (1, ""), refused.text
    assert [words for words in wrong.values() if words not in refused.err] == [], refused.err
