"""A price book that is damaged: whatever reads it says so in one line, and nobody gets a total."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cli import main
from gpucluster.cost import PriceBook
from gpucluster.cost.prices import DamagedBook, book, files
from gpucluster.cost.pricing import plan_prices
from tests.says import Says

FOLDER = Path(book.__file__).parent
PLAN = Path(__file__).parents[2] / "gpucluster/core/program/recordings/plan.json"
SPEC = Path(__file__).parents[2] / "stacks" / "bad" / "spec.yaml"
FIRST = "aws,us-east-1,p5.48xlarge,compute,instance-hour,on_demand,,55.04,2026-10-10,"
AMOUNT = "allowed: a number above 0, digits only, such as 61.25; 0 for a free tier"
RESTORE = "restore the file from the repository, or install this tool again"

Damage = Callable[[Path], object]


def _instead(old: str, new: str, file: str = "aws.csv") -> Damage:
    """Damage that writes `new` where `old` stands first."""

    def damage(folder: Path) -> None:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1))

    return damage


def _whole(text: str | bytes, file: str = "aws.csv") -> Damage:
    return lambda folder: (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the book, which stands in the place of this tool's own."""
    copy = tmp_path / "prices"
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("*.py", "live", "__pycache__"))
    monkeypatch.setattr(book, "_FOLDER", copy)
    monkeypatch.setitem(PriceBook.__init__.__kwdefaults__ or {}, "folder", copy)
    plan_prices._book.cache_clear()
    yield copy
    plan_prices._book.cache_clear()


COLUMNS = ",".join(files.COLUMNS)
DAMAGES: list[tuple[Damage, str]] = [
    *((_instead(",55.04,", f",{amount},"), f"aws.csv line 2: usd_per_unit is {amount!r}; {AMOUNT}")
      for amount in ("-55.04", "0", "0.00", "free", "NaN", "Infinity", "1e3", "9" * 10, "0x10", " 55.04", "1_0")),
    (_instead(",55.04,", ",,"), "aws.csv line 2: usd_per_unit is empty; write a value"),
    (lambda folder: (folder / "aws.csv").unlink(), "aws.csv is missing"),
    (lambda folder: (folder / "vast.csv").unlink(), "vast.csv is missing"),
    (lambda folder: (folder / "sources.csv").unlink(), "sources.csv is missing"),
    (_whole(""), "aws.csv line 1: no column provider, region, sku, kind, unit, purchase, term, usd_per_unit, as_of, "
                 f"source, note; write at least {COLUMNS}"),
    (_whole(f"{COLUMNS}\n"), "aws.csv has no rows"),
    (_whole(b"\x1f\x8b\x00\xff"), "aws.csv cannot be read as CSV in UTF-8: 'utf-8' codec can't decode byte 0x8b in "
                                  "position 1: invalid start byte"),
    (_instead("provider,region", "region,provider"),
     f"aws.csv line 1: the columns are in another order; allowed: {COLUMNS}"),
    (_instead("usd_per_unit", "usd"), f"aws.csv line 1: no column usd_per_unit; write at least {COLUMNS}"),
    (_instead(FIRST, f"aws,us-east-1\n{FIRST}"),
     "aws.csv line 2: fewer values than columns; leave a value empty, do not omit it"),
    (_instead(FIRST, f"more,{FIRST}"),
     "aws.csv line 2: more values than columns: [''] is left over; put a text with a comma in quotes"),
    (_instead(",on_demand,", ",sometimes,"), "aws.csv line 2: purchase is 'sometimes'; allowed: on_demand, spot, "
                                             "reserved, savings_plan, instance_savings_plan, "
                                             "capacity_block, flex_start, dws_calendar"),
    (_instead("p5.48xlarge", ""), "aws.csv line 2: sku is empty; write a value"),
    (_instead("us-east-1", ""), "aws.csv line 2: region is empty; write a value"),
    (_instead("instance-hour", ""), "aws.csv line 2: unit is empty; write a value"),
    (_instead("aws,", "gcp,"), "aws.csv line 2: provider is 'gcp'; allowed: aws"),
    (_instead("2026-10-10", "soon"),
     "aws.csv line 2: as_of is 'soon'; allowed: a day, month or year such as 2026-11-01, or nothing"),
    (_instead(",official,", ",hearsay,", "sources.csv"),
     "sources.csv line 2: basis is 'hearsay'; allowed: official, computed, third-party"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "problem"), DAMAGES, ids=[problem[:60] for _, problem in DAMAGES])
def test_each_damage_is_named_with_its_line_and_what_to_do(folder: Path, damage: Damage, problem: str) -> None:
    damage(folder)
    with pytest.raises(DamagedBook) as refused:
        PriceBook().rows("aws")
    assert str(refused.value) == f"the price book is damaged: cost/prices/{problem}; {RESTORE}"


def test_the_rows_of_a_thing_are_read_when_it_is_asked_for(folder: Path) -> None:
    """A preview asks for 20 of the 400 things of a region."""
    _instead(FIRST, FIRST.replace("55.04", "free"))(folder)
    found = PriceBook()
    found.lookup("aws", "us-east-1", "ebs-gp3", unit="GiB-month")
    with pytest.raises(DamagedBook, match=r"aws\.csv line 2: usd_per_unit is 'free'"):
        found.lookup("aws", "us-east-1", "p5.48xlarge", unit="instance-hour")


def test_a_row_whose_source_has_no_line_is_named_with_the_line_to_add(folder: Path) -> None:
    _instead('2026-10-10,"ewyluda', '2026-10-10,"a friend of ewyluda')(folder)
    with pytest.raises(DamagedBook) as refused:
        PriceBook().rows("aws")
    assert str(refused.value) == Says(
        "cost/prices/aws.csv",
        "2",
        "p5.48xlarge",
        "us-east-1",
        "ewyluda/gpu-price-index@ab49c80:data/observations/2026/2026-10-10.csv#source=aws,pricing=on_demand,sku=p5.48xlarge,region=us-east-1",
        "no",
        "line",
        "sources.csv",
        "sources.csv",
        "starts_with,provider,basis,why,licence,url",
    )


COMMANDS: list[list[str]] = [
    *(["cost", name, str(PLAN)] for name in ("report", "options", "advise")),
    ["cost", "diff", str(PLAN), str(PLAN)],
    ["cost", "compare", str(PLAN), str(PLAN)],
    ["cost", "explain", "1", str(PLAN)],
    ["cost", "usage", "init", str(PLAN)],
    ["cost", "tco", "--plan", str(PLAN)],
    ["cost", "prices", "show"],
    ["cost", "prices", "check"],
    ["guardrails", "check", str(PLAN)],
    ["guardrails", "check", "--pack", "baseline", str(PLAN)],
    ["check", str(SPEC)],
]


def _run(words: list[str], capsys: Any) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(words)
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.mark.parametrize("words", COMMANDS, ids=[" ".join(Path(word).name for word in words[:3]) for words in COMMANDS])
def test_every_command_ends_with_3_and_one_line(folder: Path, words: list[str], capsys: Any) -> None:
    _instead(",55.04,", ",-55.04,")(folder)
    code, out, err = _run(words, capsys)
    said = f"the price book is damaged: cost/prices/aws.csv line 2: usd_per_unit is '-55.04'; {AMOUNT}; {RESTORE}\n"
    assert (code, out, err) == (3, "", f"error: {said}")


def test_a_budget_is_not_passed_for_want_of_prices(folder: Path, tmp_path: Path, capsys: Any) -> None:
    (folder / "aws.csv").unlink()
    (tmp_path / "limits.yaml").write_text("stack: {monthly: 1}")
    words = ["cost", "budgets", "--limits", str(tmp_path / "limits.yaml"), str(PLAN)]
    assert _run(words, capsys)[:2] == (3, "")
