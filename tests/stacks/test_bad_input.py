"""Wrong specs and stack configurations: what each prints, in a real preview and in `gpucluster check` alike.

A case is a folder in `bad/`: `change.yaml` replaces text of `bad/spec.yaml`; `spec.yaml` and `stack.yaml` stand in
place of it and of `bad/stack.yaml`. `expected.txt` is what the user reads. UPDATE_GOLDEN=1 writes it anew from
`gpucluster check`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from gpucluster.cli import main

BAD = Path(__file__).with_name("bad")
CASES = sorted(path.name for path in BAD.iterdir() if path.is_dir())
PREVIEWED = ["many-at-once", "not-utf-8", "stack-and-spec", "stack-cloud-unknown", "stack-spec-missing", "yaml-tab"]
"""One of each reader and form of error: the others go the same way, and their words are tested without an engine."""
SPEC, STACK = "stacks/specs/trial.yaml", "stacks/Pulumi.aws-trial.yaml"


def lay_out(case: str, root: Path) -> None:
    """The files of a case in a project."""
    (root / SPEC).write_bytes(_spec(BAD / case))
    own = BAD / case / "stack.yaml"
    (root / STACK).write_bytes((own if own.exists() else BAD / "stack.yaml").read_bytes())


def _spec(folder: Path) -> bytes:
    if (folder / "spec.yaml").exists():
        return (folder / "spec.yaml").read_bytes()
    text = (BAD / "spec.yaml").read_text()
    if (folder / "change.yaml").exists():
        for change in yaml.safe_load((folder / "change.yaml").read_text()):
            assert text.count(change["replace"]) == 1, f"{folder.name}: {change['replace']!r} must stand there once"
            text = text.replace(change["replace"], change["by"])
    return text.encode()


def files_of(root: Path) -> dict[Path, bytes]:
    """Everything a commit would hold."""
    ours = {".sandbox", ".venv", "__pycache__"}
    found = (path for path in root.rglob("*") if path.is_file() and not ours & {*path.relative_to(root).parts})
    return {path: path.read_bytes() for path in found}


@pytest.mark.parametrize("case", CASES)
def test_cluster_check_says_what_is_wrong(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stacks/specs").mkdir(parents=True)
    (tmp_path / "Pulumi.yaml").write_bytes((Path(__file__).parents[2] / "Pulumi.yaml").read_bytes())
    lay_out(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["check", "--stack", "aws-trial"])
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    golden = BAD / case / "expected.txt"
    said = re.sub("^error: ", "", done.stderr, flags=re.MULTILINE)
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(said)
    assert said == golden.read_text()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, copy: Callable[[Path], Any]) -> Iterator[Any]:
    """A project whose stack exists and is empty; so it is when all cases have passed."""
    project = copy(tmp_path_factory.mktemp("bad"))
    assert project.run("sandbox", "pulumi", "stack", "init", "aws-trial").code == 0
    state = project.run("sandbox", "pulumi", "stack", "export", "--stack", "aws-trial").out
    yield project
    assert project.run("sandbox", "pulumi", "stack", "export", "--stack", "aws-trial").out == state
    assert project.ledger() == []


@pytest.mark.engine
@pytest.mark.core
@pytest.mark.parametrize("case", PREVIEWED)
def test_a_preview_says_the_same_once_and_changes_nothing(case: str, shared: Any) -> None:
    lay_out(case, shared.path)
    before = files_of(shared.path)
    done = shared.pulumi("preview")
    assert done.code == 2, done.text
    assert "Traceback" not in done.text
    assert error_in(done.text) == (BAD / case / "expected.txt").read_text()
    assert files_of(shared.path) == before


@pytest.mark.engine
@pytest.mark.slow
def test_a_region_without_a_price_is_named_and_never_within_the_budget(project: Any) -> None:
    """No mistake of the user's: what is not priced is bounded, and the verdict is "cannot tell" within the bound."""
    project.change(STACK, "us-east-1", "ap-southeast-2")
    done = project.pulumi("preview")
    assert done.code == 0, done.text
    assert "  - aws:eks/nodeGroup:NodeGroup trial-training-nodes\n" in done.out
    assert re.search(r"^Total +\$[\d,.]+ to \$[\d,.]+ a month", done.out, re.MULTILINE)
    assert re.search(r"^Budget +cannot tell whether it is within budget", done.out, re.MULTILINE)


@pytest.mark.engine
@pytest.mark.slow
def test_an_exemption_that_has_ended_is_a_finding_of_the_policies(project: Any) -> None:
    """A plan asks no clock: the spec stays right, and the pack says what is over."""
    exemption = "{rule: required-labels, resource: x, reason: shared network, owner: ml, until: 2025-01-31}"
    project.change(SPEC, "duration: 14d", f"duration: 14d\nexemptions: [{exemption}]")
    done = project.pulumi("preview", "--policy-pack", "policies")
    assert done.code not in (0, 2), done.text
    assert "the exemption from `required-labels` for `x` ended on 2025-01-31, owner ml" in done.out


def error_in(text: str) -> str:
    """The error a preview printed, without Pulumi's indentation; it stands there once, under one heading or several."""
    found = re.findall(r"^( *)error: (.*\n(?:\1(?:  .*|\S.*: \d+ problems?)\n)*)", text, flags=re.MULTILINE)
    assert len(found) == 1, text
    indent, message = found[0]
    return "".join(line.removeprefix(indent) for line in message.splitlines(keepends=True))
