"""Resource types billed by a list of rates: one CSV file per cloud, a row for each line of a bill.

========== ============================================================================================================
column     meaning
========== ============================================================================================================
`type`     type token, or several that are billed alike; the rows of a type are its bill
`when`     `input=value|value` parts joined by `;`, all of which must hold; `input:value=...` gives the value of an
           absent input, `!=` the opposite, an empty value an absent input; empty: always
`name`     billed item, as the bill names it; `{input}` and `{input:value}` are filled in from the resource
`sku`      its name in the price book, filled in the same way, in lower case
`unit`     unit of the price; `free`: the name says why there is no charge, and the sku gives the source
`quantity` product of factors joined by ` x `: numbers, `hours` (730), `{input}` and `{input:1}`, `#{input}` and
           `#{input:1}` (members of a list), and names of `usage.csv`, which no plan contains
`region`   the price's region in the book if it is not the resource's region, such as `global`
`leaves`   further billed items that the total omits
========== ============================================================================================================

`compute_types.csv` lists the types billed as machine hours, and for each whether it `reserves` them.

Items billed per `instance-hour` run `hours_per_month`. Resources without a matching row and lines without a price are
reported as not priced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.tables import Row, read_rows

__all__ = ["compute_types", "reservation_types", "rows_of", "usage_default", "usage_words"]

_FOLDER: Final = Path(__file__).parent
_FILES: Final = {
    cloud.package: f"cost/rates/{cloud.package}.csv"
    for cloud in clouds().values()
    if (_FOLDER / f"{cloud.package}.csv").is_file()
}
"""Package -> its table. A type token is text of a plan, and no path may come from one."""


@cache
def rows_of(package: str) -> Mapping[str, Sequence[Row]]:
    """Type token -> the rows of its bill, for the types of a package; empty without a table."""
    found: dict[str, list[Row]] = {}
    for row in read_rows(_FILES[package]) if package in _FILES else ():
        for type_ in row["type"].split():
            found.setdefault(type_, []).append(row)
    return found


@cache
def usage_words() -> Mapping[str, str]:
    """Name of each usage that no plan contains -> its unit and meaning, to follow the number."""
    return {row["name"]: row["words"] for row in read_rows("cost/rates/usage.csv")}


@cache
def usage_default(name: str) -> Decimal:
    """The default of a usage: 0, except for logs that a cluster is known to write, by our own estimate.

    Quiet control plane: 0.3 GB of logs a day ("a few hundred megabytes": abd-ulbasit, Bookstore Kubernetes guide,
    14.05). Each node: an audit event of about 2 KB for its lease every 10 s (Kubernetes documentation, Leases), and
    400 flow records of about 120 bytes every 10 minutes. Each GKE node: 20 lines of about 1 KB a minute, which matches
    an operator's observation: only one of its clusters had more than 50 GB a month (2i2c-org/infrastructure #3016);
    and half of 400 flow records, of about 1 KB with Google's metadata, every 10 minutes. The pods of each node: 0.13
    GiB a day: 8 processes of a job that print a line of about 200 bytes a second.
    """
    return next(
        (Decimal(row["default"] or 0) for row in read_rows("cost/rates/usage.csv") if row["name"] == name), Decimal(0)
    )


@cache
def compute_types() -> frozenset[str]:
    """Types billed as machine hours."""
    return frozenset(row["type"] for row in read_rows("cost/rates/compute_types.csv"))


@cache
def reservation_types() -> frozenset[str]:
    """Types that hold capacity at the on-demand rate: a discount may apply, but no other purchase option."""
    return frozenset(row["type"] for row in read_rows("cost/rates/compute_types.csv") if row["reserves"])
