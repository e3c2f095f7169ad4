"""The amounts on the pages of the first hour are those of the trial's plan, and the tutorial leads to the pages."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from gpucluster.components.cluster.cloud import CLOUDS

DOCS = Path(__file__).parents[2] / "docs"
HOURS_A_MONTH = 730
_ROW = re.compile(r"^\| \d [^|]*\|[^|]*\| (?P<minute>\d+) \| \$(?P<amount>[\d,.]+) \|", re.MULTILINE)


def money(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


def cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def most(cloud: str, line: str) -> Decimal:
    """The highest amount of a line of the trial's plan."""
    plan = (DOCS / f"examples/{cloud}/trial.md").read_text()
    [found] = re.findall(rf"^{line} .*\$([\d,.]+)$", plan, re.MULTILINE)
    return money(found)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_amounts_of_the_page_are_those_of_the_plan(cloud: str) -> None:
    page, hour = (DOCS / f"run/first-hour-{cloud}.md").read_text(), most(cloud, "Total per hour")
    rows = {int(row["minute"]): money(row["amount"]) for row in _ROW.finditer(page)}
    free = {minute for minute, amount in rows.items() if amount == 0}
    assert free == {1, 3}
    assert len(rows) == 6
    assert {minute: rows[minute] for minute in rows if minute not in free} == {
        minute: cents(hour * minute / 60) for minute in rows if minute not in free
    }
    text = " ".join(page.split())
    paused = (most(cloud, "Total per month") - most(cloud, "trial-training")) / HOURS_A_MONTH
    assert f"${hour:,} an hour at list prices" in text
    assert f"Paused, the cluster costs ${cents(paused):,} an hour" in text
    assert f"${cents(hour / 60)} a minute" in text


def test_the_pages_have_the_same_steps() -> None:
    pages = [(DOCS / f"run/first-hour-{cloud}.md").read_text() for cloud in CLOUDS]
    commands = [re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL) for page in pages]
    assert {tuple(blocks[1:]) for blocks in commands} == {tuple(commands[0][1:])}
    assert [blocks[0] for blocks in commands] == [f"export STACK={cloud}-trial\n" for cloud in CLOUDS]


def test_the_tutorial_and_the_index_lead_to_the_pages() -> None:
    for page in ("start/tutorial.md", "README.md"):
        text = (DOCS / page).read_text()
        assert [cloud for cloud in CLOUDS if f"run/first-hour-{cloud}.md)" not in text] == [], page
