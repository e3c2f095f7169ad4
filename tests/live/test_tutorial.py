"""Every command of docs/start/tutorial.md, in its order, on each cloud in the sandbox."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.live.conftest import need_programs

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs/start/tutorial.md"
INSTEAD = {
    "pulumi": "gpucluster sandbox --kubernetes live pulumi",
    "gpucluster connect": "gpucluster sandbox connect",
    "kubectl": "gpucluster sandbox kubectl",
    "gpucluster leftovers": "gpucluster sandbox leftovers",
}
"""What a command of an account is in the sandbox, as the page's table says."""


def commands() -> list[str]:
    """Those of the page, but for the ones of an account alone."""
    blocks = re.findall(r"^```sh(?: sandbox)?\n(.*?)\n```$", TUTORIAL.read_text(), re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines() if not line.startswith("export STACK")]


def in_the_sandbox(command: str, instead: Mapping[str, str] = INSTEAD) -> str:
    """The command as it is typed there."""
    begins = next((real for real in instead if command.startswith(f"{real} ")), None)
    return command if begins is None else instead[begins] + command.removeprefix(begins)


def test_the_table_of_the_page_says_what_is_typed_in_the_sandbox() -> None:
    rows = re.findall(r"^\| `(.*?)(?: \.\.\.)?` \| `(.*?)(?: \.\.\.)?` \|", TUTORIAL.read_text(), re.MULTILINE)
    assert dict(rows) == INSTEAD


@pytest.mark.slow
@pytest.mark.engine
@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_every_command_of_the_tutorial_does_what_it_says(cloud: str, tmp_path: Path) -> None:
    need_programs()
    for name in ("Pulumi.yaml", "stacks", "policies", "examples"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    environment = {
        "STACK": f"{cloud}-trial",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(Path.home()),
        "KUBECONFIG": str(tmp_path / "kubeconfig"),
    }
    said: list[str] = []
    for command in map(in_the_sandbox, commands()):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, shell=True, capture_output=True, text=True, timeout=600, check=False
        )
        said.append(f"$ {command}\n{done.stdout}{done.stderr}")
        assert done.returncode == 0, "\n".join(said[-2:])
    assert "cluster    trial on " in said[0]
    [nodes] = [text for text in said if " get nodes " in text]
    assert len(re.findall(r"\bReady\b.*\btraining$", nodes, re.MULTILINE)) == 5
    [context] = [text for text in said if " connect " in text.partition("\n")[0]]
    assert "Images of jobs:" in context
    assert any("trainjob.trainer.kubeflow.org/pytorch" in text for text in said)
    assert "has been removed" in said[-2]
    assert "nothing is left" in said[-1]
