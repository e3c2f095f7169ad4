"""Purchase options for training nodes in answers to a question: `ways.csv`.

Columns: cloud; way, its usual name; kind, `purchase.kind` of the spec; purchase and term, as in the price book;
reservation, an example of the id that it needs; assume, the assumption that puts all machines under a
commitment; needs, its prerequisites. Sources: those of `cost.purchasing.ways`, which has the terms and maximum
durations of options, and of each cloud's `purchase.py`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from gpucluster.core.catalog.tables import read_rows
from gpucluster.cost.purchasing.purchase_options import Way as Sold


@dataclass(frozen=True, kw_only=True)
class Way:
    """One purchase option; the columns of the table."""

    cloud: str
    words: str
    kind: str
    purchase: str
    term: str
    reservation: str
    assume: str
    needs: str

    @property
    def sized(self) -> bool:
        """Whether it is sold in fixed numbers of machines: capacity blocks of EC2 and Azure, in the same sizes."""
        return self.purchase == "capacity_block"

    def against(self, hours: int) -> str:
        """Why it is not sold for so many hours: its term is longer, or its maximum shorter; empty if it is."""
        sold, days = Sold(self.cloud, self.purchase, self.term), hours / 24
        if days < sold.years * 365:
            return f"commits for {self.term.removesuffix('y')} x 365 days, longer than requested"
        if sold.most_days is not None and days > sold.most_days:
            return f"lasts at most {sold.most_days} days"
        return ""


@functools.cache
def ways_of(cloud: str) -> tuple[Way, ...]:
    """Those of a cloud, in the order of the table."""
    return tuple(
        Way(
            cloud=row["cloud"],
            words=row["way"],
            kind=row["kind"],
            purchase=row["purchase"],
            term=row["term"],
            reservation=row["reservation"],
            assume=row["assume"],
            needs=row["needs"],
        )
        for row in read_rows("gpucluster/operate/quote/ways.csv")
        if row["cloud"] == cloud
    )
