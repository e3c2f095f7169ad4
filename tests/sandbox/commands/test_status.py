"""`gpucluster sandbox status` on a terminal."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from gpucluster.cli import main
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.project.project import Project


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def _stand(root: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the current folder a project with a network in its clouds and none in its state."""
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
    monkeypatch.setenv("COLUMNS", "100")


def _printed(*args: str) -> str:
    terminal = _Terminal()
    stream = io.TextIOWrapper(terminal, encoding="utf-8", write_through=True)  # it closes the terminal at its end
    with redirect_stdout(stream):
        main.main(["sandbox", "status", *args], standalone_mode=False)
    return terminal.getvalue().decode()


def test_names_are_shown_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    _stand(tmp_path, "a\x1b[31m[bold]b\u202e\x07", monkeypatch)
    text = " ".join(_printed().split()).replace("\x1b[1m", "").replace("\x1b[0m", "")  # the bold head of a region
    assert text.count(r"a\x1b[31m[bold]b\u202e\x07") == 2  # in the table and as an orphan
    assert "\x1b" not in text


def test_json_has_its_version_the_resources_and_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _stand(tmp_path, "net", monkeypatch)
    found = json.loads(_printed("--format", "json"))
    [resource] = found.pop("resources")
    assert (resource["provider"], resource["scope"], resource["id"]) == ("aws", "us-east-1", "vpc-1")
    assert found == {
        "schema_version": 1,
        "counts": {"aws": 1},
        "orphans": [{"urn": "urn:pulumi:dev::small::aws:ec2/vpc:Vpc::net", "id": "vpc-1"}],
        "ghosts": [],
        "kept": [],
        "living": [],
    }
