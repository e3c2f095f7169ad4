"""Projects in YAML that name the package, and the commands a user types there."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.package.folder import write_folder

BIN = Path(sys.prefix) / "bin"


@dataclass(frozen=True)
class Yaml:
    """A project in YAML with the package beside it."""

    path: Path

    def write(self, program: str) -> None:
        (self.path / "Pulumi.yaml").write_text(program)

    def write_python(self, cloud: str, spec: str, place: str) -> None:
        """The same project with a program in Python."""
        name = f"name: yaml-{cloud}\n"
        self.write(f"{name}runtime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}\n")
        (self.path / "trial.yaml").write_text(spec)
        (self.path / "__main__.py").write_text(
            f"from gpucluster.{cloud} import Location, TrainingCluster\n"
            f'TrainingCluster("trial", "trial.yaml", Location({place}))\n'
        )

    def pulumi(self, *args: str) -> tuple[int, str]:
        done = self.run("sandbox", "pulumi", *args, "--stack", "dev")
        return done.returncode, done.stdout + done.stderr

    def plan(self) -> Any:
        done = self.run("sandbox", "pulumi", "preview", "--json", "--show-sames", "--stack", "dev")
        (self.path / "plan.json").write_text(done.stdout)
        return json.loads(done.stdout)

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([BIN / "gpucluster", *args], cwd=self.path, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Yaml:
    write_folder(tmp_path / "package", Path(sys.prefix))
    (tmp_path / "project").mkdir()
    (tmp_path / "project/Pulumi.dev.yaml").write_text("config: {}\n")
    return Yaml(tmp_path / "project")
