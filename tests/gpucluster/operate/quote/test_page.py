"""What 8, 64 and 512 GPUs cost for two weeks and for a year: docs/buy/quotes.md.

`UPDATE_GOLDEN=1 pytest tests/gpucluster/operate/quote/test_page.py` writes it anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpucluster.core.catalog.clouds import clouds
from gpucluster.operate.quote.quotes import Answer
from gpucluster.operate.quote.text import Numbered, cells, what

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[4] / "docs/buy/quotes.md"
GPUS, TIMES = ("8", "64", "512"), ("14d", "1y")
HEAD = """\
# What 8, 64 and 512 H100s cost

The cheapest cluster on each cloud, over all regions, machines and purchase options, at list prices. "Row" is the row in
the table of [`gpucluster quote`](quote.md), which lists all others, their prerequisites, losses and unknown prices.
"High confidence" is the share of the dollars with a price from the cloud's own list, "price of" the date of the
machine's price. "No spare": a capacity block that would double for the spare node of the other rows.

| GPUs | for | row | cluster | total | $/GPU-hour | Gb/s | high confidence | price of |
| ---: | --- | ---: | --- | ---: | ---: | ---: | ---: | --- |
"""


def _rows(answer: Answer) -> Iterator[str]:
    asked = answer.question
    for cloud in clouds():
        number, least = next(
            (number, one) for number, one in enumerate(answer.quotes, 1) if one.candidate.cloud == cloud
        )
        _, total, per_hour, fabric, high, date = cells(Numbered(number, least))
        about = (asked.gpus, asked.duration, number, what(least), total, per_hour, fabric, high, date)
        yield f"| {' | '.join(map(str, about))} |"


def test_the_page_of_quotes_is_what_the_command_answers(ask: Callable[..., Answer]) -> None:
    """Every machine of 8 H100s, in every region."""
    answers = [ask(gpus=gpus, lasting=time) for gpus in GPUS for time in TIMES]
    page = HEAD + "".join(f"{row}\n" for answer in answers for row in _rows(answer))
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(page)
    assert PAGE.read_text() == page
