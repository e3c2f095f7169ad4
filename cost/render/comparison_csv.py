"""A comparison for spreadsheets: a row for each property, part and total, a column a stack."""

from __future__ import annotations

import csv
import io

from gpucluster.cost.comparison import Comparison
from gpucluster.cost.render.comparison_rows import sections
from gpucluster.cost.render.csv import cell

__all__ = ["comparison_csv"]


def comparison_csv(found: Comparison) -> str:
    """Sections and rows as the table has them; amounts as it words them, for `at least` is part of them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["section", "what", *(cell(column.title) for column in found.columns)])
    for section in sections(found):
        for label, cells in section.rows:
            writer.writerow(
                [section.heading, cell(label.strip()), *(text if text == "-" else cell(text) for text in cells)]
            )
    return out.getvalue().removesuffix("\n")
