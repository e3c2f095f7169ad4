"""`gpucluster reap` with a `pulumi` that has states, and destroys what is not protected."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from tests.says import Says

Run = Callable[..., tuple[int, list[str]]]
PULUMI = """
import json, pathlib, sys
here, words = pathlib.Path({folder!r}), sys.argv[1:]
with (here / "asked").open("a") as asked:
    print(*words, file=asked)
if words[:2] == ["stack", "ls"]:
    print(json.dumps([{{"name": file.stem}} for file in sorted(here.glob("*.json"))]))
    sys.exit()
file = here / (words[words.index("--stack") + 1] + ".json")
if not file.exists():
    sys.exit("error: no stack named " + file.stem + " found")
state = json.loads(file.read_text())
if words[0] == "destroy":
    kept = state["deployment"]["resources"]
    state["deployment"]["resources"] = [one for one in kept if one.get("protect") or not one["custom"]]
    if not any(one.get("protect") for one in kept):
        del state["deployment"]["resources"]
    file.write_text(json.dumps(state))
else:
    print(json.dumps(state))
"""


def days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def state(*, begun: float, days: int | None = 14, said: bool = True, protect: bool = False) -> dict[str, Any]:
    """Of a volume of 730 GiB, which costs $0.08 an hour. begun: days ago. said: whether an output says it, or the
    engine alone."""
    urn, created = "urn:pulumi:s::p::", days_ago(begun)
    resources: list[dict[str, Any]] = [
        {
            "urn": f"{urn}pulumi:pulumi:Stack::p-s",
            "type": "pulumi:pulumi:Stack",
            "custom": False,
            "created": created,
            "outputs": {"begun": created} if said else {},
        },
        {
            "urn": f"{urn}x:y:Cluster::trial",
            "type": "x:y:Cluster",
            "custom": False,
            "sourcePosition": "project:///__main__.py#1",
            "outputs": {} if days is None else {"durationDays": days},
        },
        {
            "urn": f"{urn}aws:ebs/volume:Volume::data",
            "type": "aws:ebs/volume:Volume",
            "custom": True,
            "id": "vol-1",
            "created": days_ago(begun - 0.001),
            "inputs": {"availabilityZone": "us-east-1a", "size": 730, "type": "gp3"},
            "protect": protect,
        },
    ]
    return {"version": 3, "deployment": {"resources": resources}}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run(*args, name=state, ...)`: exit code and lines, with a program alone on PATH."""
    (folder := tmp_path / "bin").mkdir()
    (folder / "pulumi").write_text(f"#!{sys.executable}{PULUMI.format(folder=str(tmp_path))}")
    (folder / "pulumi").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("AWS_REGION", "us-east-1")

    def reap(*args: str, **states: Any) -> tuple[int, list[str]]:
        for name, found in states.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(found))
        done = CliRunner().invoke(main, ["reap", *args])
        return done.exit_code, done.output.splitlines()

    return reap


def ends(line: str) -> list[str]:
    """What a line says but for the times."""
    name, _, rest = line.partition(": ")
    return [name, *(part.split(" UTC")[-1] for part in rest.split(", ", 2))]


def test_reap_says_first_what_has_ended_and_what_it_cost(run: Run, tmp_path: Path) -> None:
    alike = "if unchanged; 1 resource"
    code, lines = run(
        "--all",
        old=state(begun=20),
        new=state(begun=2),
        forever=state(begun=1, days=None),
        gone={"deployment": {"resources": None}},
    )
    assert code == 1
    assert [ends(line) for line in lines[:-1]] == [
        ["forever", "", "with no end: $1.92 so far", f"{alike}; set duration in its spec"],
        ["gone", "no resources"],
        ["new", "", "", Says("12.0", "$3.84", "$26.88", alike)],
        ["old", "", "", Says("6.0", "$38.40", "$26.88", alike)],
    ]
    assert lines[-1] == Says("gpucluster reap --stack old --yes")
    assert "destroy" not in (tmp_path / "asked").read_text()


def test_reap_destroys_what_has_ended_and_can_be_run_again(run: Run, tmp_path: Path) -> None:
    code, lines = run("--all", "--yes", old=state(begun=20), new=state(begun=2))
    assert (code, lines[2:]) == (0, ["old: destroying", "old: destroyed"])
    destroyed = [line for line in (tmp_path / "asked").read_text().splitlines() if line.startswith("destroy")]
    assert destroyed == ["destroy --yes --skip-preview --exclude-protected --stack old"]
    assert run("--stack", "old", "--yes") == (0, ["old: no resources", "No stack has expired."])


def test_what_is_protected_is_kept_and_named_each_time(run: Run) -> None:
    kept = [
        "old: destroying",
        Says("data", "pulumi state unprotect --yes --stack old 'urn:pulumi:s::p::aws:ebs/volume:Volume::data'"),
        "old: remaining: 1 resource, $1.92 a day",
    ]
    for _ in range(2):
        code, lines = run("--all", "--yes", **({"old": state(begun=20, protect=True)} if _ == 0 else {}))
        assert (code, lines[1:]) == (1, kept)
        assert lines[0].endswith("; 1 resource, 1 protected")


def test_a_stack_that_says_no_begin_began_when_the_engine_wrote_it(run: Run) -> None:
    code, lines = run("--stack", "old", old=state(begun=20, said=False))
    assert (code, lines[-1]) == (1, Says("gpucluster reap --stack old --yes"))


def test_a_stack_that_can_not_be_read_keeps_no_other_from_its_end(run: Run) -> None:
    code, lines = run("--stack", "lost", "--stack", "old", "--yes", old=state(begun=20))
    said = ["error: stack lost: 1 problem", Says("pulumi stack export", "lost")]
    assert (code, lines[:2], lines[-1]) == (2, said, "old: destroyed")


def test_stacks_are_named_or_all_are_taken(run: Run, tmp_path: Path) -> None:
    for args in ((), ("--all", "--stack", "old")):
        code, lines = run(*args)
        assert (code, lines[-1]) == (2, Says("--stack", "--all"))
    shutil.rmtree(tmp_path / "bin")
    assert run("--all") == (2, [Says("pulumi", "PATH", "pulumi.com/docs/install", "gpucluster sandbox reap")])
