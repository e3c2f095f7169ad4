"""Checks a cost report without trusting the tool that wrote it.

    gpucluster cost report plan.json --format json | python examples/audit_report.py cost/prices [ours.csv]

Uses only the standard library: every quantity x unit price, every subtotal and the total are recomputed, to
the cent, and every unit price is looked up in the price files by region, purchase, source and date.
Exits with 1 and one line for each difference.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

CENT = Decimal("0.01")


def _origin(source: str) -> str:
    """A source without the place in it: a report names the document, the price file also its line."""
    return source.partition(":")[0]


def audit(report: dict[str, Any], prices: list[dict[str, str]]) -> list[str]:
    """One line for each number of the report that does not follow from its parts."""
    wrong: list[str] = []
    known = {
        (row["region"], row["purchase"], _origin(row["source"]), row["as_of"], Decimal(row["usd_per_unit"]))
        for row in prices
    }
    sums: dict[str, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for line in report["lines"]:
        name = f"{line['resource_name']}: {line['name']}"
        price = Decimal(line["unit_price"])
        if line["paid_by"]:
            wrong += [f"{name}: paid for by {line['paid_by']}, and yet at {price}"] if price else []
        elif (line["region"], line["purchase"], _origin(line["source"]), line["as_of"], price) not in known:
            wrong.append(f"{name}: {price} stands in no price file")
        for case, prefix in (("floor", "floor_"), ("expected", ""), ("ceiling", "ceiling_")):
            shown = Decimal(line["monthly" if case == "expected" else f"monthly_{case}"])
            amount = (Decimal(line[f"{prefix}quantity"]) * price).quantize(CENT, ROUND_HALF_UP)
            if amount != shown:
                wrong.append(f"{name}: {case} is {amount}, the report says {shown}")
            sums[line["part"]][case] += amount
    for part in report["parts"]:
        for case, shown in part["monthly"].items():
            if sums[part["name"]][case] != Decimal(shown):
                wrong.append(f"{part['name']}: {case} is {sums[part['name']][case]}, the report says {shown}")
    for case, shown in report["monthly"].items():
        total = sum((amounts[case] for amounts in sums.values()), Decimal(0))
        if total != Decimal(shown):
            wrong.append(f"total: {case} is {total}, the report says {shown}")
    return wrong


def own(row: dict[str, str], said: str) -> dict[str, str]:
    """A user's own row, with the report's name of its source."""
    source = f"{said}: {row['source'].strip()}" if row.get("source") else said
    return {"as_of": "", **row, "purchase": row.get("purchase") or "on_demand", "source": source}


def main() -> int:
    folder = Path(sys.argv[1])
    rows: list[dict[str, str]] = []
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows += [row for row in csv.DictReader(file) if "usd_per_unit" in row]
    for name in sys.argv[2:]:
        with Path(name).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows += [own(row, f"your price, {Path(name).name} line {reader.line_num}") for row in reader]
    report = json.load(sys.stdin)
    wrong = audit(report, rows)
    for line in wrong:
        print(line)
    if not wrong:
        print(f"{len(report['lines'])} lines, {len(report['parts'])} parts and the total agree to the cent")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
