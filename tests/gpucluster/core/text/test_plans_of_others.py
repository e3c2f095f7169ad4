"""Commands that read plans and states made by others: what is in them is shown, and neither obeyed nor looked up."""

from __future__ import annotations

import copy
import io
import json
import os
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpucluster.cost
from gpucluster.cli import main
from gpucluster.cost.rates import rows_of
from tests.fuzz.forms import faults, obeyed
from tests.fuzz.mutants import MARKUP

PLAN, LIMITS = "PLAN", "LIMITS"
"""Stand for the files in the words of a command."""
COMMANDS: list[list[str]] = [
    *(["cost", "report", "--format", form] for form in ("table", "json", "csv", "markdown", "html")),
    ["cost", "report", "--group-by", "team"],
    *(["cost", "diff", PLAN, "--format", form] for form in ("table", "json", "csv", "markdown")),
    *(["cost", "compare", PLAN, "--format", form] for form in ("table", "json", "csv", "markdown", "html")),
    *(["cost", "options", "--format", form] for form in ("table", "json", "csv", "markdown")),
    ["cost", "tco", "--plan"],
    ["cost", "advise"],
    ["cost", "budgets", "--limits", LIMITS],
    ["cost", "explain", "1"],
    ["cost", "usage", "init"],
    *(["guardrails", "check", "--format", form] for form in ("table", "json", "sarif", "junit")),
]
IDS = [" ".join(words) for words in COMMANDS]

CONTROLS = [chr(number) for number in (*range(32), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))]
PARTS = [*CONTROLS, *MARKUP, "\x1b[31m", "\x1b]8;;http://x\x07", "a", "é", "/", "..", " "]
HOSTILE = st.lists(st.sampled_from(PARTS), max_size=6).map("".join)


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module", autouse=True)
def _silent() -> Iterator[None]:
    """The sign that a command still works, which each one shows on a busy machine, has control characters."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gpucluster.groups.working", nullcontext)
        yield


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that the commands read."""
    folder = tmp_path_factory.mktemp("plans")
    (folder / LIMITS).write_text("stack: {monthly: 1}")
    return folder / PLAN


def _run(plan: Path, words: list[str]) -> tuple[int, str]:
    """The exit code and all that a terminal would get."""
    files = {PLAN: str(plan), LIMITS: str(plan.with_name(LIMITS))}
    shown = _Terminal()
    stream = io.TextIOWrapper(shown, encoding="utf-8", write_through=True)
    # Without the bold of our own sums: what is left would be of the plan.
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1"}),
        redirect_stdout(stream),
        redirect_stderr(stream),
    ):
        try:
            main([*(files.get(word, word) for word in words), str(plan)])
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, shown.getvalue().decode()


def _write(plan: Path, records: list[dict[str, Any]], *, error: str | None = None) -> None:
    steps = [{"op": "create", "urn": record["urn"], "newState": record} for record in records]
    diagnostics = [] if error is None else [{"severity": "error", "message": error}]
    plan.write_text(json.dumps({"config": {"aws:region": "us-east-1"}, "steps": steps, "diagnostics": diagnostics}))


def _resource(type_: str, name: str, stack: str = "dev", **inputs: Any) -> dict[str, Any]:
    urn = f"urn:pulumi:{stack}::test::{type_}::{name}"
    return {"urn": urn, "type": type_, "custom": True, "inputs": inputs}


@st.composite
def _stacks(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A node group, a volume and something else, with text of others wherever a program may put it."""
    odd, stack = draw(HOSTILE), draw(HOSTILE)
    tags = {"team": odd, odd: draw(HOSTILE)}
    return [
        _resource("aws:eks/nodeGroup:NodeGroup", odd, stack, tags=tags, scalingConfig={"desiredSize": 2},
                  instanceTypes=[draw(st.sampled_from(["p5.48xlarge", odd]))]),
        _resource("aws:ebs/volume:Volume", f"v{odd}", stack, tags=tags, size=9,
                  type=draw(st.sampled_from(["gp3", odd]))),
        _resource(f"{draw(st.sampled_from(['aws', odd]))}:{odd}:Thing{odd}", f"t{odd}", stack, **{odd or "x": odd}),
        _resource("gpucluster:aws:TrainingCluster", f"c{odd}", stack, machineType=odd, notBuilt=[odd])
        | {"custom": False},
    ]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=IDS)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(records=_stacks(), error=st.none() | HOSTILE)
def test_no_text_of_a_plan_reaches_the_terminal_as_a_control_character(
    plan: Path, words: list[str], records: list[dict[str, Any]], error: str | None
) -> None:
    _write(plan, records, error=error)
    code, shown = _run(plan, words)
    assert (obeyed(shown), code in (0, 1, 2)) == (set(), True), shown


@pytest.mark.parametrize("words", [words for words in COMMANDS if "--format" in words], ids=" ".join)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(records=_stacks())
def test_no_text_of_a_plan_is_alive_in_a_file_or_breaks_its_form(
    plan: Path, words: list[str], records: list[dict[str, Any]]
) -> None:
    _write(plan, records)
    result = plan.with_name("result")
    result.unlink(missing_ok=True)
    code, shown = _run(plan, [*words, "--output", str(result)])
    assert code in (0, 1, 2), shown
    if result.exists():
        assert list(faults(words[words.index("--format") + 1], result.read_text())) == []


TYPES = ["../../../evil:x/y:Z", "../prices/aws:x/y:Z", "/etc/passwd:x/y:Z", f"{'x' * 300}:x/y:Z", "\0:x/y:Z", ".",
         "usage:x/y:Z", "sources:x/y:Z", "aws\0:x/y:Z", ":::", ""]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=IDS)
def test_a_type_that_is_a_path_has_no_handler(plan: Path, words: list[str]) -> None:
    for type_ in TYPES:
        _write(plan, [_resource("aws:ebs/volume:Volume", "v", type="gp3", size=9), _resource(type_, "odd")])
        code, shown = _run(plan, words)
        assert code in (0, 1), (type_, shown)


def test_rates_come_from_the_tables_of_this_tool_alone(plan: Path, tmp_path: Path) -> None:
    header = "type,when,name,sku,unit,quantity,region,leaves\n"
    (tmp_path / "evil.csv").write_text(f"{header}../evil:x/y:Z,,nothing to pay,evil,free,1,,\n")
    above = os.path.relpath(tmp_path / "evil", Path(gpucluster.cost.__file__).parent / "rates")
    assert [rows_of(name) for name in (above, str(tmp_path / "evil"), "usage", "../prices/aws")] == [{}, {}, {}, {}]
    _write(plan, [_resource(f"{above}:x/y:Z", "odd")])
    code, shown = _run(plan, ["cost", "report", "--format", "json"])
    report = json.loads(shown[: shown.rindex("}") + 1])
    assert (code, [item["reason"] for item in report["not_priced"]]) == (0, ["no handler for its type"])


RECORDING = json.loads((Path(__file__).parents[1] / "program/recordings/plan.json").read_text())
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
ODD: list[Any] = [None, True, 7, -1.5, "", "x", [], [1], {}, {"a": None}, SECRET, "../x", "9" * 400]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        return [*found, *(place for key, inner in value.items() for place in _places(inner, (*path, key)))]
    if isinstance(value, list):
        return [*found, *(place for at, inner in enumerate(value) for place in _places(inner, (*path, at)))]
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(place=st.sampled_from(_places(RECORDING)), value=st.sampled_from(ODD), which=st.sampled_from(COMMANDS))
def test_a_plan_with_a_value_of_another_kind_is_no_fault_of_the_tool(
    plan: Path, place: tuple[Any, ...], value: Any, which: list[str]
) -> None:
    document = copy.deepcopy(RECORDING)
    inner = document
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    plan.write_text(json.dumps(document))
    code, shown = _run(plan, which)
    assert code in (0, 1, 2), shown


def test_an_operation_that_is_no_text_is_refused_with_its_place(plan: Path) -> None:
    record = _resource("aws:ebs/volume:Volume", "v")
    plan.write_text(json.dumps({"steps": [{"op": "create", "newState": record}, {"op": ["same"], "newState": record}]}))
    code, shown = _run(plan, ["cost", "report"])
    assert (code, shown) == (2, (
        f"error: {plan}: the op of steps[1] is ['same'], not text; write it with `pulumi preview --json --show-sames`\n"
    ))  # fmt: skip


@pytest.mark.timeout(60)
def test_a_component_around_itself_is_no_endless_loop(plan: Path) -> None:
    around = _resource("my:own:Part", "part") | {"custom": False}
    inside = _resource("my:own:Other", "other") | {"custom": False, "parent": around["urn"]}
    _write(
        plan,
        [
            around | {"parent": inside["urn"]},
            inside,
            _resource("aws:ebs/volume:Volume", "v", type="gp3", size=9) | {"parent": inside["urn"]},
        ],
    )
    assert [shown for code, shown in (_run(plan, one) for one in COMMANDS) if code not in (0, 1)] == []


def test_a_resource_whose_inputs_are_all_secret_is_named_as_not_priced(plan: Path) -> None:
    _write(plan, [_resource("aws:ebs/volume:Volume", "v") | {"inputs": SECRET, "outputs": SECRET}])
    code, shown = _run(plan, ["cost", "report", "--format", "json", "--group-by", "team"])
    (item,) = json.loads(shown)["not_priced"]
    assert (code, item["resource"].endswith("::v")) == (0, True)
