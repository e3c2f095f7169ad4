"""Keys of the figures beside the costs, which JSON has."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.cost.comparison.figures import Ask, figure_rows

ALWAYS = ["gpu_hour", "per_1000_tflops", "co2e"]
HUNDRED = Decimal(100)


@pytest.mark.parametrize(
    ("ask", "more"),
    [
        (Ask(), []),
        (Ask(dataset_tb=HUNDRED), ["days_to_move", "move_out"]),
        (Ask(flow_gbps=HUNDRED), ["flow_out"]),
        (Ask(dataset_tb=HUNDRED, flow_gbps=HUNDRED), ["days_to_move", "move_out", "flow_out"]),
    ],
)
def test_figures_about_data_are_shown_if_asked(ask: Ask, more: list[str]) -> None:
    rows = [*figure_rows([None, None], ask)]
    assert [key for key, _, _ in rows] == [*ALWAYS, *more]
    assert {len(cells) for _, _, cells in rows} == {2}
