"""Prices of the user's own: which go before the book's, how they are told, and what is wrong with a file of them."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import BadPrices, NotKnown, Price
from tests.cases import cases
from tests.says import Says

TODAY = datetime.date(2026, 11, 21)
ND = "Standard_ND96isr_H100_v5"


def _file(folder: Path, text: str) -> Path:
    path = folder / "ours.csv"
    path.write_text(text, encoding="utf-8")
    return path


def _found(path: Path, region: str, sku: str, unit: str = "instance-hour", **how: str) -> Price:
    found = PriceBook(today=TODAY, own=path).lookup("azure", region, sku, unit=unit, **how)
    assert isinstance(found, Price)
    return found


def test_a_row_of_the_user_goes_before_the_books_and_says_whose_it_is(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        "provider,region,sku,unit,usd_per_unit,as_of,source\n"
        f'azure,eastus,{ND},instance-hour,61.25,2026-11-01,"agreement 4711, annex B"\n',
    )
    own = _found(path, "eastus", ND)
    assert (own.usd, own.row.source, own.row.as_of, own.confidence, own.rankable, own.tiers) == (
        Decimal("61.25"),
        Says("ours.csv", "2", "4711"),
        "2026-11-01",
        "high",
        True,
        (),
    )
    assert _found(path, "westus3", ND).usd == Decimal("98.32")  # of its region alone
    assert _found(path, "eastus", ND, purchase="spot").usd == Decimal("18.1695")  # of its purchase alone


def test_a_row_may_name_what_the_book_does_not_have_and_all_tiers_of_what_it_has(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        "provider,region,sku,unit,usd_per_unit\n"
        "azure,eastus,AMLFS-Durable-Premium-250,GiB-month,0.2\n"
        "azure,eastus,internet-egress,GiB,0.05\n",
    )
    own = _found(path, "eastus", "AMLFS-Durable-Premium-250", "GiB-month")
    assert (own.usd, own.row.source, own.row.as_of) == (Decimal("0.2"), "your price, ours.csv line 2", "")
    egress = _found(path, "eastus", "internet-egress", "GiB")
    assert (egress.usd, egress.tiers) == (Decimal("0.05"), ())


def test_what_is_still_missing_names_own_rows_among_the_nearest(tmp_path: Path) -> None:
    path = _file(tmp_path, "provider,region,sku,unit,usd_per_unit\nazure,westus,AMLFS-Durable-Premium-40,GiB-month,1\n")
    found = PriceBook(own=path).lookup("azure", "eastus", "AMLFS-Durable-Premium-40", unit="GiB-month")
    assert found == NotKnown(
        "no price for AMLFS-Durable-Premium-40 on_demand in azure eastus per GiB-month; known: westus on_demand, "
        "francecentral on_demand, northeurope on_demand, swedencentral on_demand and 1 more",
        "azure,eastus,AMLFS-Durable-Premium-40,GiB-month,on_demand,",
    )


@pytest.mark.parametrize("below", [".", "stacks", "policies/deep"])
def test_the_variable_is_found_from_every_folder_of_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    _file(tmp_path, f"provider,region,sku,unit,usd_per_unit\nazure,eastus,{ND},instance-hour,1\n")
    (tmp_path / below).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path / below)
    monkeypatch.setenv("GPUCLUSTER_PRICES", "ours.csv")
    assert [row.usd_per_unit for row in PriceBook.in_use().own] == [1]
    monkeypatch.setenv("GPUCLUSTER_PRICES", " ")
    assert PriceBook.in_use().own == ()


def test_the_option_goes_before_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _file(tmp_path, f"provider,region,sku,unit,usd_per_unit\nazure,eastus,{ND},instance-hour,2\n")
    monkeypatch.setenv("GPUCLUSTER_PRICES", "nowhere.csv")
    assert [row.usd_per_unit for row in PriceBook.in_use(str(path)).own] == [2]
    with pytest.raises(BadPrices, match=r"^GPUCLUSTER_PRICES: 'nowhere\.csv' is not a file; give a CSV file of prices"):
        PriceBook.in_use()
    with pytest.raises(BadPrices, match=r"^--prices: 'gone\.csv' is not a file"):
        PriceBook.in_use("gone.csv")


HEADER = "provider,region,sku,unit,purchase,term,usd_per_unit,as_of,note\n"


@cases
def test_everything_that_is_wrong_with_a_file_is_named_at_once(tmp_path: Path, text: str, problems: list[str]) -> None:
    path = _file(tmp_path, text)
    with pytest.raises(BadPrices) as caught:
        PriceBook(own=path)
    assert str(caught.value).splitlines() == [f"{path} {problem}" for problem in problems]


def test_a_unit_that_nothing_is_sold_by_is_refused_with_those_that_are(tmp_path: Path) -> None:
    path = _file(tmp_path, f"{HEADER}azure,eastus,{ND},hours,,,1,,\n")
    with pytest.raises(BadPrices, match=r"line 2: unit is 'hours'; allowed: .*GiB-month, .*instance-hour"):
        PriceBook(own=path)


def test_of_a_file_that_is_wrong_throughout_twenty_lines_are_shown(tmp_path: Path) -> None:
    path = _file(tmp_path, HEADER + f"azure,eastus,{ND},instance-hour,,,x,,\n" * 30)
    with pytest.raises(BadPrices) as caught:
        PriceBook(own=path)
    lines = str(caught.value).splitlines()
    assert (len(lines), lines[-1]) == (21, f"{path}: and 10 more like these")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ours.csv"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadPrices, match="cannot be read as CSV in UTF-8"):
        PriceBook(own=path)
