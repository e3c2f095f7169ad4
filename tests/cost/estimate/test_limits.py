"""The file of limits."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost.estimate.budgets import BadLimits, Limit, Limits, read_limits
from tests.says import Says


def _file(folder: Path, text: str) -> Path:
    path = folder / "limits.yaml"
    path.write_text(text)
    return path


def test_a_file_has_limits_of_the_stack_of_labels_and_of_pools(tmp_path: Path) -> None:
    text = "stack: {monthly: 420000, ceiling: 450000.5}\nlabels: {team: {1: {monthly: 7}}}\npools: {p: {ceiling: 0}}\n"
    assert read_limits(_file(tmp_path, text)) == Limits(
        Limit(Decimal(420000), Decimal("450000.5")), {"team": {"1": Limit(Decimal(7))}}, {"p": Limit(None, Decimal(0))}
    )


def test_everything_that_is_wrong_is_named_at_once(tmp_path: Path) -> None:
    text = "stak: 1\nlabels: {team: 3}\npools: {x: {monthly: -1, most: 2}, y: 5, z: {ceiling: true}}\nstack: {}\n"
    path = _file(tmp_path, text)
    with pytest.raises(BadLimits) as raised:
        read_limits(path)
    form = "write monthly, ceiling or both, in USD: {monthly: 420000, ceiling: 450000}"
    assert str(raised.value).replace(f"{path}: ", "").splitlines() == [
        Says("stak", "not", "stack", "labels", "pools", "stack"),
        Says("pools.x.monthly", "-1", "USD", "0", "1,000,000,000,000"),
        Says("pools.x.most", "not", "monthly", "ceiling"),
        f"pools.y is 5; {form}",
        Says("pools.z.ceiling", "USD", "0", "1,000,000,000,000"),
        f"stack is an empty mapping; {form}",
        Says("labels.team", "3", "90000"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"), [("", "has no limits"), ("- 1", "has no"), ("a: b: c", "line 1: a second")]
)
def test_a_file_without_limits_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(BadLimits, match=problem):
        read_limits(_file(tmp_path, text))


def test_an_amount_with_two_readings_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, "stack: {monthly: 700:00:00}\nstack: {ceiling: 1}\n")
    with pytest.raises(BadLimits) as raised:
        read_limits(path)
    assert str(raised.value).splitlines() == [
        Says(path, "1", "stack.monthly", "700:00:00", "YAML", "1.1", "2520000", "YAML", "1.2", "2520000", "700:00:00"),
        f"{path}: line 2: stack is given twice; keep one",
    ]
