"""Bills that are broken, doubled, packed, or none at all."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost.bills.charges import factor
from tests.cost.bills.conftest import Reconcile, Trial, of
from tests.cost.bills.generator import CUR2, FOCUS, write_csv, write_parquet
from tests.says import Says

Found = Callable[..., dict[str, Any]]


def test_malformed_rows_are_named_by_line_and_column_and_the_rest_is_read(
    trial: Trial, reconcile: Reconcile, found: Found, tmp_path: Path
) -> None:
    file = write_csv(tmp_path / "bill.csv", trial.bill())
    header, *lines = file.read_text().splitlines()
    cells = lines[0].split(",")
    bad = [
        ",".join(["1.2.3", *cells[1:]]),
        ",".join(["", *cells[1:]]),
        lines[0].replace(",Usage,", ",Usege,"),
        lines[0].replace("2026-10-01T00:00:00Z", "2026-13-01"),
        ",".join(cells[:3]),
        f"{lines[0]},more",
    ]
    file.write_text("\n".join([header, *bad, *lines]) + "\n")
    done = reconcile(file)
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        Says(file, "2", "BilledCost", "1.2.3", "12.5"),
        Says(file, "3", "BilledCost", "12.5"),
        Says(file, "4", "ChargeCategory", "Usege", "Usage", "Purchase", "Tax", "Credit", "Adjustment"),
        Says(file, "5", "ChargePeriodStart", "2026-13-01", "2026-10-01T00:00:00Z"),
        Says(file, "6", "3", "21", "ChargeCategory", "missing"),
        Says(file, "7", "22", "21"),
    ]
    assert found(file)["total"]["exact_by_line"] == "1.000000"


def test_a_parquet_file_has_its_bad_rows_named_by_number(trial: Trial, reconcile: Reconcile, tmp_path: Path) -> None:
    import duckdb

    good, file = write_parquet(tmp_path / "good.parquet", trial.bill()), tmp_path / "bad.parquet"
    with duckdb.connect() as db:
        db.execute(
            "COPY (SELECT * EXCLUDE (row, file_row_number) REPLACE ("
            "CASE WHEN row = 3 THEN 'much' ELSE BilledCost::VARCHAR END AS BilledCost, "
            "CASE WHEN row = 4 THEN NULL ELSE ChargePeriodStart END AS ChargePeriodStart) "
            f"FROM (SELECT *, file_row_number AS row FROM read_parquet('{good}', file_row_number = true))) "
            f"TO '{file}' (FORMAT parquet)"
        )
    done = reconcile(file)
    assert (done.exit_code, done.stderr.splitlines()) == (
        1,
        [Says(file, "4", "BilledCost", "much", "12.5"), Says(file, "5", "ChargePeriodStart", "2026-10-01T00:00:00Z")],
    )


def test_a_line_with_several_faults_is_named_by_the_column_of_one(
    trial: Trial, reconcile: Reconcile, tmp_path: Path
) -> None:
    file = write_csv(tmp_path / "bill.csv", trial.bill(), CUR2)
    header, *lines = file.read_text().splitlines()
    start = lines[0].partition('"{')[0]
    end = """"{""a"": ""b"", ""c,5-02 00:00:y", ""up,5-10-own"", "ml-ve,5-10-on"", "f0000'm"""
    file.write_text("\n".join([header, *lines, start + end]))
    done = reconcile(file)
    assert done.exit_code == 1
    assert f"{file} line {len(lines) + 2}: column savings_plan_savings_plan_effective_cost is " in done.stderr


def test_lines_that_are_no_csv_are_named_with_what_is_wrong(trial: Trial, reconcile: Reconcile, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "bill.csv", trial.bill())
    lines = file.read_bytes().splitlines()
    start, _, _ = lines[1].rpartition(b",")
    bad = [start + b"," + cell for cell in (b'"a" b', b"\xff", b"x" * 3_000_000)]
    file.write_bytes(b"\n".join([*lines, *bad, b""]))
    done, after = reconcile(file), len(lines)
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        Says(file, after + 1, "x_UsageType", "quote"),
        Says(file, after + 2, "x_UsageType", "invalid encoding"),
        Says(file, after + 3, "line size over maximum"),
    ]


def test_a_damaged_gzip_file_is_named(reconcile: Reconcile, tmp_path: Path) -> None:
    packed = gzip.compress(b"BilledCost,ChargeCategory\n" * 1000)
    (file := tmp_path / "bill.csv.gz").write_bytes(packed[:12] + b"\xff" * 8 + packed[20:])
    done = reconcile(file)
    assert (done.exit_code, done.stderr) == (2, f"error: {file} is neither CSV in UTF-8 nor Parquet\n")


def test_a_file_without_a_column_is_named_and_the_others_are_read(
    trial: Trial, reconcile: Reconcile, found: Found, tmp_path: Path
) -> None:
    good = write_csv(tmp_path / "good.csv", trial.bill())
    less = write_csv(
        tmp_path / "less.csv", trial.bill(), {name: FOCUS[name] for name in FOCUS if name != "EffectiveCost"}
    )
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    done = reconcile(good, less, other, tmp_path / "gone.csv")
    assert (done.exit_code, done.stderr.splitlines()) == (
        1,
        [
            Says(less, "1", "no", "EffectiveCost", "not"),
            Says(
                other, "1", "no", "BilledCost", "line_item_unblended_cost", "FOCUS", "1.0", "1.4", "AWS", "CUR", "2.0"
            ),
            Says(f"{tmp_path}/gone.csv", "cannot", "directory"),
        ],
    )
    assert found(good, less, other)["total"]["exact_by_line"] == "1.000000"
    assert reconcile(less).exit_code == 2


def test_what_several_files_hold_counts_once_and_as_the_last_has_it(trial: Trial, found: Found, tmp_path: Path) -> None:
    """The same file twice, then one from the middle of the month on whose last day is billed anew."""
    bill = trial.bill()
    later = [replace(item, cost=item.cost * 2) if item.day.day == 31 else item for item in bill if item.day.day > 15]
    first = write_csv(tmp_path / "first.csv", [item for item in bill if item.day.day <= 20])
    again = write_csv(tmp_path / "again.csv", [item for item in bill if item.day.day <= 20])
    last, whole = write_csv(tmp_path / "last.csv", later), write_csv(tmp_path / "whole.csv", bill)
    once, twice = found(whole), found(first, again, last)
    assert (once["repeated_rows"], twice["repeated_rows_with_other_amounts"]) == (0, 0)
    lines, one_more_day = len(bill) // 31, Decimal(of(once, "5 x p5.48xlarge")["billed"]) / 31
    assert twice["repeated_rows"] == lines * (20 + 5)
    assert Decimal(of(twice, "5 x p5.48xlarge")["billed"]) == 32 * one_more_day
    assert found(whole, last)["repeated_rows_with_other_amounts"] == lines


def test_packed_and_quoted_files_are_read_and_days_of_the_clouds_in_their_own_ways(
    trial: Trial, found: Found, tmp_path: Path
) -> None:
    """gzip, a byte order mark, line breaks within quotes, times without seconds as Azure writes them."""
    file = write_csv(tmp_path / "bill.csv", [replace(item, description="two\nlines") for item in trial.bill()])
    text = "\ufeff" + file.read_text().replace("T00:00:00Z", "T00:00Z")
    (tmp_path / "bill.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert found(tmp_path / "bill.csv.gz")["total"]["exact_by_line"] == "1.000000"


def test_units_are_those_that_the_clouds_write() -> None:
    asked = {
        ("Hrs", "hour"): 1, ("100 Hours", "hour"): 100, ("GB-Mo", "GiB-month"): 1, ("1 GB/Month", "GiB-month"): 1,
        ("10K", "1M-requests"): Decimal("0.01"), ("1M Requests", "1M-requests"): 1, ("Bananas", "hour"): None,
        ("2 Bananas", "Bananas"): 2,
    }  # fmt: skip
    assert {pair: factor(*pair) for pair in asked} == asked


def test_without_duckdb_one_line_says_what_to_install(trial: Trial, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "bill.csv", trial.bill(1), CUR2)
    program = "import sys; sys.modules['duckdb'] = None; from gpucluster.cli import main; main()"
    command = [sys.executable, "-c", program, "cost", "reconcile", str(trial.file), "--bill", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "error: reading a bill needs DuckDB: pip install 'duckdb>=1.4,<3'\n"


@pytest.mark.parametrize(
    "options, said",
    [
        (("--from", "2026-10-02", "--to", "2026-10-02"), "2026-10-02 is not after --from 2026-10-02"),
        (("--from", "soon"), "'soon' does not match the format '%Y-%m-%d'"),
        (("--stack", "aws-trial"), "give FILE or --stack, not both"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    reconcile: Reconcile, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done = reconcile(tmp_path / "bill.csv", options=options)
    assert (done.exit_code, said in done.output) == (2, True), done.output
