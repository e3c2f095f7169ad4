"""`gpucluster sandbox status` on a terminal."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from gpucluster.cli import main
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.project import Project


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def _shown(root: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (root / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    store = Project(root / "Pulumi.yaml").store
    store.prepare()
    with store.open_ledger() as ledger:
        ledger.put(
            Entry(
                provider="aws", scope="us-east-1", type="aws:ec2/vpc:Vpc", id="vpc-1", name=name, inputs={}, outputs={},
                urn=f"urn:pulumi:dev::small::aws:ec2/vpc:Vpc::{name}",
            )
        )  # fmt: skip
    stack = {"urn": "urn:pulumi:dev::small::pulumi:pulumi:Stack::small-dev", "type": "pulumi:pulumi:Stack"}
    state = root / ".sandbox/state/.pulumi/stacks/small/dev.json"
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text(json.dumps({"version": 3, "checkpoint": {"latest": {"resources": [stack]}}}))
    monkeypatch.chdir(root)
    monkeypatch.setenv("COLUMNS", "200")
    terminal = _Terminal()
    with redirect_stdout(io.TextIOWrapper(terminal, encoding="utf-8", write_through=True)):
        main.main(["sandbox", "status"], standalone_mode=False)
    return terminal.getvalue().decode().splitlines()


def test_names_are_shown_as_they_are_and_styles_are_ours_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    lines = _shown(tmp_path, "a\x1b[31m[bold]b\u202e\x07", monkeypatch)
    named = [line for line in lines if "vpc-1" in line]
    assert [r"a\x1b[31m[bold]b\u202e\x07" in line for line in named] == [True, True]  # in the table and as an orphan
    assert ["\x1b" in line for line in lines] == ["\x1b[1m" in line for line in lines] == [True, *[False] * 6]
