"""Resource types whose bill is a list of rates: one CSV file a cloud, a row for each line of a bill.

========== ============================================================================================================
column     meaning
========== ============================================================================================================
`type`     type token, or several that are billed alike; the rows of a type are its bill
`when`     `input=value|value` parts joined by `;`, all of which must hold; `input:value=...` says what holds when the
           input is absent, `!=` the opposite, an empty value an input that is absent; empty: always
`name`     what is billed, in the words of the bill; `{input}` and `{input:value}` are filled in from the resource
`sku`      its name in the price book, filled in likewise, in lower case
`unit`     unit of the price; `free`: the name says why there is no charge, and the sku where that is said
`quantity` product of factors joined by ` x `: numbers, `hours` (730), `{input}` and `{input:1}`, `#{input}` and
           `#{input:1}` (members of a list), and names of `usage.csv`, which no plan can know
`region`   where the price book has it when that is not the resource's region, such as `global`
`leaves`   what is billed besides and not in the total
========== ============================================================================================================

`compute_types.csv` names the types whose bill is machines by the hour, and says of each whether it `reserves` them.

What is billed per `instance-hour` runs `hours_per_month`. A resource to which no row applies is not priced, and neither
is a line without a price: both are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from gpucluster.catalog.clouds import clouds
from gpucluster.catalog.rows import Row, read_rows

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
    """Type token -> the rows of its bill, for the types of a package; empty where it has no table."""
    found: dict[str, list[Row]] = {}
    for row in read_rows(_FILES[package]) if package in _FILES else ():
        for type_ in row["type"].split():
            found.setdefault(type_, []).append(row)
    return found


@cache
def usage_words() -> Mapping[str, str]:
    """Name of everything that no plan can know -> its unit and meaning, to follow the number."""
    return {row["name"]: row["words"] for row in read_rows("cost/rates/usage.csv")}


@cache
def usage_default(name: str) -> Decimal:
    """What is taken of it where nobody says more: 0, but for what a cluster is known to write, by our own estimate.

    Of a quiet control plane 0.3 GB of logs a day ("a few hundred megabytes": abd-ulbasit, Bookstore Kubernetes guide,
    14.05); of each node an audit event of about 2 KB for its lease every 10 s (Kubernetes documentation, Leases), and
    400 flow records of about 120 bytes every 10 minutes. Of each node of GKE 20 lines of about 1 KB a minute, which
    fits what an operator saw: of its clusters one alone had more than 50 GB a month (2i2c-org/infrastructure #3016);
    and half of 400 flow records, of about 1 KB with Google's metadata, every 10 minutes. Of the pods of
    each node 0.13 GiB a day: 8 processes of a job that print a line of about 200 bytes a second.
    """
    return next(
        (Decimal(row["default"] or 0) for row in read_rows("cost/rates/usage.csv") if row["name"] == name), Decimal(0)
    )


@cache
def compute_types() -> frozenset[str]:
    """Types whose bill is machines by the hour."""
    return frozenset(row["type"] for row in read_rows("cost/rates/compute_types.csv"))


@cache
def reservation_types() -> frozenset[str]:
    """Those that hold capacity at the on-demand rate: a discount may cover them, no other way to buy replaces them."""
    return frozenset(row["type"] for row in read_rows("cost/rates/compute_types.csv") if row["reserves"])
