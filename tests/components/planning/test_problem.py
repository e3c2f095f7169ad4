"""A problem is a value: what it is about, what is there, what to do; and one text."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.components.planning.problem import BadSpecValue, Problem
from gpucluster.components.spec.file import stack_spec
from gpucluster.components.stack.first_spec import first_spec


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("access.cidrs", "has 50", "EKS takes 40"), "access.cidrs has 50; EKS takes 40"),
        (Problem("placement.group", "is set"), "placement.group is set"),
        (Problem("", "has neither; add one"), "has neither; add one"),
        (Problem("team", "", "write a text"), "team; write a text"),
    ],
)
def test_a_problem_reads_as_one_sentence(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_the_line_of_a_problem_is_that_of_its_field_whatever_it_says(tmp_path: Path) -> None:
    path = tmp_path / "trial.yaml"
    path.write_text(first_spec("trial", 4, ""))
    line = next(at for at, text in enumerate(path.read_text().splitlines(), 1) if text.lstrip().startswith("nodes:"))
    told = stack_spec(path).error(
        [Problem("training.nodes", "budget is no word of this problem"), Problem("", "budget")]
    )
    assert told.problems == ("budget", f"line {line}: training.nodes budget is no word of this problem")


def test_a_rule_that_finds_several_mistakes_keeps_them_apart() -> None:
    found = [Problem("team", "is 7; 8", "write a text"), Problem("", "lacks owner\nand project")]
    refused = BadSpecValue(found)
    assert (refused.problems, isinstance(refused, ValueError)) == (tuple(found), True)
