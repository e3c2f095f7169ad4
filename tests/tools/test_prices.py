"""Facts become rows of the book, once; what does not fit is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.cost.prices import PriceBook
from tools.prices.__main__ import import_facts, main
from tools.prices.facts import COLUMNS

SOURCE = "ewyluda/gpu-price-index@ab49c8081de81f1dae5f8f7e7d46af80b68c35d6:data/x.csv"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "book"
    folder.mkdir()
    for path in PriceBook().folder.glob("*.csv"):
        shutil.copy(path, folder)
    return folder


def _facts(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "facts.csv"
    path.write_text("\n".join([",".join(COLUMNS), *rows]) + "\n")
    return path


def test_a_fact_becomes_a_row_in_the_unit_of_the_book_and_only_once(tmp_path: Path, folder: Path) -> None:
    facts = _facts(tmp_path, f"gcp,xx-nowhere1,,pd-ssd,GB-month,0.5,on_demand,,{SOURCE},line 7,2026-10-10,MIT,")
    assert [*import_facts([facts], folder, dry_run=True)] == [*import_facts([facts], folder)]
    (row,) = [row for row in PriceBook(folder=folder).of_sku("gcp", "pd-ssd") if row.region == "xx-nowhere1"]
    assert (row.unit, f"{row.usd_per_unit}") == ("GiB-month", "0.5")
    assert row.source == "ewyluda/gpu-price-index@ab49c80:data/x.csv#line 7"
    assert [*import_facts([facts], folder)] == []


def test_what_does_not_fit_is_named_with_its_line_and_nothing_is_written(tmp_path: Path, folder: Path) -> None:
    facts = _facts(
        tmp_path,
        f"gcp,xx-nowhere1,,pd-ssd,GB-month,0.5,on_demand,,{SOURCE},,2026-10-10,MIT,",
        f"gcp,xx-nowhere1,,pd-ssd,parsec,0.5,on_demand,,{SOURCE},,2026-10-10,MIT,",
        "gcp,xx-nowhere1,,pd-ssd,GB-month,-1,on_demand,,somewhere,,2026-10-10,MIT,",
    )
    before = (folder / "gcp.csv").read_bytes()
    done = CliRunner().invoke(main, [str(facts), "--book", str(folder)])
    assert done.exit_code == 2
    assert f"{facts} line 3: " in done.stderr and "parsec" in done.stderr
    assert f"{facts} line 4: source is 'somewhere'" in done.stderr
    assert f"{facts} line 4: price_usd is '-1'" in done.stderr
    assert (folder / "gcp.csv").read_bytes() == before
