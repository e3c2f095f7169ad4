"""Waiting is what slow answers add, whatever the machine does besides."""

from __future__ import annotations

import pytest

from tools.benchmarks.asking import bars


@pytest.mark.parametrize(
    ("at_once", "late", "kept"), [(5.0, 5.9, (True, True)), (5.0, 9.2, (False, True)), (28.0, 30.5, (True, False))]
)
def test_answers_in_a_row_are_a_share_of_all(at_once: float, late: float, kept: tuple[bool, bool]) -> None:
    row, seconds = bars(at_once, late, 40)
    assert (row.kept, seconds.kept) == kept
    assert row.found == pytest.approx((late - at_once) / 0.3 / 40)
