"""docs/reference/live-scenarios.md: every scenario, what was before and after, and the seconds it took on each cloud.

UPDATE_GOLDEN=1 writes it from the times that the scenarios themselves kept, when they ran with the same.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from gpucluster.core.catalog.clouds import clouds

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs/reference/live-scenarios.md"
HEAD = """\
# Scenarios on live clusters

Each row is a test: it brings up the trial stack of a cloud with `--kubernetes live`, changes its nodes or jobs, and
waits for the real controllers. The numbers are seconds of one run on two shared cores; a dash means that the cloud does
not have the feature. `make test-all` runs all scenarios, `.venv/bin/pytest tests/live/test_on_aws.py` those of one
cloud. To try one by hand, see [live clusters](../plan/live-cluster.md#what-happens-to-nodes-and-jobs).

"""


def _told() -> dict[str, str]:
    """Name of a scenario -> what was before and after, in the order of the files."""
    found: dict[str, str] = {}
    for file in sorted({*HERE.glob("*.py")} - {Path(__file__), HERE / "test_tutorial.py"}):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[node.name] = " ".join((ast.get_docstring(node) or "").split())
    return found


def _times() -> dict[str, dict[str, int]]:
    """Cloud -> scenario -> seconds."""
    return {
        name: json.loads(file.read_text()) for name in clouds() if (file := HERE / "times" / f"{name}.json").exists()
    }


def _scenarios(cloud: str) -> set[str]:
    """Those of the modules of a cloud, as pytest calls them."""
    modules = [import_module(f"tests.live.{file.stem}") for file in HERE.glob(f"test_*on_{cloud}.py")]
    functions = [it for module in modules for name, it in vars(module).items() if name.startswith("test_")]
    return {name for function in functions for name in _cases(function)}


def _cases(function: Callable[..., None]) -> Iterator[str]:
    marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
    if not marks:
        yield function.__name__
    for mark in marks:
        yield from (f"{function.__name__}[{case}]" for case in mark.args[1])


def _page() -> str:
    return HEAD + "\n".join(_rows()) + "\n"


def _rows() -> Iterator[str]:
    told, times = _told(), _times()
    scenarios = {cloud: _scenarios(cloud) for cloud in times}
    titles = [clouds()[name].title for name in times]
    yield f"| scenario | before and after | {' | '.join(titles)} |"
    yield f"| --- | --- | {' | '.join('---' for _ in titles)} |"
    order = [*told]
    names = set[str]().union(*scenarios.values())
    for name in sorted(names, key=lambda one: (order.index(one.partition("[")[0]), one)):
        function, _, case = name.removesuffix("]").partition("[")
        sentence = function.removeprefix("test_").replace("_", " ")
        seconds = [str(times[cloud].get(name, "")) if name in scenarios[cloud] else "-" for cloud in times]
        yield f"| {sentence}{f': {case}' if case else ''} | {told[function]} | {' | '.join(seconds)} |"


def test_the_page_has_every_scenario_that_was_run_and_its_time() -> None:
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(_page())
    assert PAGE.read_text() == _page()


@pytest.mark.parametrize("cloud", [*_times()])
def test_every_scenario_of_a_cloud_has_the_time_of_a_run_and_no_other_has(cloud: str) -> None:
    assert sorted(_times()[cloud]) == sorted(_scenarios(cloud))


def test_at_least_35_scenarios_were_run() -> None:
    assert len(_told()) >= 35


def test_every_scenario_says_what_was_before_and_after() -> None:
    assert [name for name, text in _told().items() if not text] == []
