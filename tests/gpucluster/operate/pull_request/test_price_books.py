"""Price books from the text of their files."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost.prices import BadPrices, Price
from gpucluster.cost.prices.book import _FOLDER
from gpucluster.operate.pull_request.terms import book_of
from tests.gpucluster.operate.pull_request.conftest import TODAY

FILES = {file.name: file.read_text() for file in _FOLDER.glob("*.csv")}


def test_a_book_has_the_prices_of_its_files(tmp_path: Path) -> None:
    files = {**FILES, "aws.csv": FILES["aws.csv"].replace(",0.2016,", ",0.3016,")}
    book = book_of(files, tmp_path / "after", own=None, today=TODAY)
    price = book.lookup("aws", "us-east-1", "m7i.xlarge", unit="instance-hour")
    assert isinstance(price, Price)
    assert price.usd == Decimal("0.3016")


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"aws.csv": FILES["aws.csv"]},
        {**FILES, "aws.csv": "provider,region\n1,2\n"},
        {**FILES, "aws.csv": FILES["aws.csv"].replace(",0.2016,", ",free,")},
        {**FILES, "aws.csv": FILES["aws.csv"].replace(",0.2016,", ",-1,")},
        {**FILES, "aws.csv": FILES["aws.csv"].replace(",0.2016,", ",1e999,")},
        {**FILES, "aws.csv": FILES["aws.csv"].replace(",0.2016,", ",NaN,")},
    ],
    ids=["nothing", "no sources", "columns", "words", "negative", "huge", "no number"],
)
def test_what_is_no_price_book_is_refused(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(BadPrices, match=r"^cost/prices"):
        book_of(files, tmp_path / "after", own=None, today=TODAY)
