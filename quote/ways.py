"""Ways to buy the training nodes that a question is answered with: `ways.csv`.

Columns: cloud; way, what people call it; kind, `purchase.kind` of the spec; purchase and term, as in the price book;
reservation, an example of the id that it needs; assume, the assumption that puts all of the machines under a
commitment; needs, what has to be had first. Sources: those of `cost.purchasing.ways`, which knows for how long a way
binds and lasts, and of each cloud's `purchase.py`.
"""

from __future__ import annotations

import functools

from gpucluster.catalog.rows import read_rows
from gpucluster.cost.purchasing.ways import Way as Sold
from gpucluster.record import record


@record(kw_only=True)
class Way:
    """One way to buy; the columns of the table."""

    cloud: str
    words: str
    kind: str
    purchase: str
    term: str
    reservation: str
    assume: str
    needs: str

    def against(self, hours: int) -> str:
        """Why it is not sold for so many hours: it binds for longer, or lasts less; empty where it is."""
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
        for row in read_rows("quote/ways.csv")
        if row["cloud"] == cloud
    )
