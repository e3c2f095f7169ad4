"""Small Pulumi projects to run in the sandbox."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

PROJECT = """\
name: small
runtime:
  name: python
  options:
    virtualenv: {virtualenv}
main: stacks/
stackConfigDir: stacks/
"""


@dataclass(frozen=True)
class PulumiProject:
    """A project in a folder of its own, with the stack `dev` in us-east-1."""

    root: Path

    def write(self, program: str, **config: str) -> None:
        """Sets the program and the stack's configuration."""
        lines = [f"  {key}: {json.dumps(value)}" for key, value in {"aws:region": "us-east-1", **config}.items()]
        (self.root / "stacks" / "__main__.py").write_text(dedent(program))
        (self.root / "stacks" / "Pulumi.dev.yaml").write_text("# kept as it is\nconfig:\n" + "\n".join(lines) + "\n")

    def run(
        self, *args: str, env: Mapping[str, str] | None = None, before: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Runs `sandbox ARGS` in the project."""
        command = [*before, sys.executable, "-m", "gpucluster", "sandbox", *args]
        environment = {**os.environ, **(env or {})}
        return subprocess.run(
            command,
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def pulumi(self, command: str, *args: str, env: Mapping[str, str] | None = None) -> str:
        """Runs a Pulumi command on the stack; fails the test when it fails; returns what it printed."""
        done = self.run("pulumi", *command.split(), *args, "--stack", "dev", env=env)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def refused(self, command: str, *args: str) -> str:
        """Runs a Pulumi command on the stack that must fail; returns all it printed."""
        done = self.run("pulumi", *command.split(), *args, "--stack", "dev")
        assert done.returncode != 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def outputs(self) -> Any:
        """The stack's outputs."""
        return json.loads(self.pulumi("stack output", "--json"))

    def plan(self) -> dict[str, str]:
        """Logical name -> operation of the next preview, for resources that change."""
        steps = json.loads(self.pulumi("preview", "--json"))["steps"]
        return {step["urn"].rsplit("::", 1)[-1]: step["op"] for step in steps if step["op"] != "same"}

    def ledger(self) -> list[Entry]:
        """What exists in the simulated clouds."""
        ledger = Ledger(self.root / ".sandbox" / "clouds.sqlite3")
        try:
            return ledger.all()
        finally:
            ledger.close()

    def tree(self) -> dict[str, str]:
        """The files of the working tree, without what git ignores."""
        files = (file for file in self.root.rglob("*") if file.is_file())
        kept = (file for file in files if not {".sandbox", "__pycache__"} & set(file.parts))
        return {str(file.relative_to(self.root)): file.read_text() for file in kept}


@pytest.fixture
def project(tmp_path: Path) -> PulumiProject:
    """An empty project."""
    (tmp_path / "stacks").mkdir()
    (tmp_path / "Pulumi.yaml").write_text(PROJECT.format(virtualenv=sys.prefix))
    return PulumiProject(tmp_path)
