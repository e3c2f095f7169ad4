"""Both sides of a change are costed under the assumptions that are given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gpucluster.cost.diff.revisions import sides_of
from gpucluster.cost.prices.book import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions


def test_both_sides_have_the_assumptions(recordings: Path, book: PriceBook) -> None:
    files = str(recordings / "plan.json"), str(recordings / "update.json")
    plain = [side.estimate.monthly.expected for side in sides_of(*files, book, Assumptions())]
    halved = replace(Assumptions(), hours_per_month=365)
    fewer = [side.estimate.monthly.expected for side in sides_of(*files, book, halved)]
    assert [less < more for less, more in zip(fewer, plain, strict=True)] == [True, True]
