"""A bill of many gigabytes: rows of other stacks by the hour around those of one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.cost.bills.generator import FIRST

__all__ = ["ROW", "write_big"]

ROW: Final = 470
"""Bytes of a row, about."""


def write_big(path: Path, like: Path, size: int) -> Path:
    """A CSV of `size` bytes: the rows of `like`, and charges of 200,000 other resources by the hour."""
    import duckdb

    name, stack = "' || n % 200000 || '", "' || n % 500 || '"
    tags = f'{{"Name": "other-{name}", "pulumi-stack": "other-{stack}", "team": "others", "x": "'
    other = {
        "BilledCost": "(n % 997) / 1000",
        "EffectiveCost": "(n % 997) / 1000",
        "PricingQuantity": "1",
        "PricingUnit": "'Hrs'",
        "ChargePeriodStart": f"strftime(TIMESTAMP '{FIRST}' + to_hours((n % 744)::INT), '%Y-%m-%dT%H:%M:%SZ')",
        "ChargePeriodEnd": f"strftime(TIMESTAMP '{FIRST}' + to_hours((n % 744)::INT + 1), '%Y-%m-%dT%H:%M:%SZ')",
        "ResourceId": "'arn:aws:ec2:us-east-1:123456789012:instance/i-' || lpad((n % 200000)::VARCHAR, 17, '0')",
        "Tags": f"'{tags}' || repeat('y', 100) || '\"}}'",
        "x_UsageType": "'BoxUsage:m7i.' || (n % 7) || 'xlarge'",
        "ChargeDescription": "'a machine of somebody else, by the hour, on demand'",
        "SubAccountId": "'account-' || n % 300",
    }
    listed = ", ".join(f"({value})::VARCHAR AS {name}" for name, value in other.items())
    with duckdb.connect() as db:
        db.execute("SET memory_limit = '1GB'; SET threads = 2; SET preserve_insertion_order = false")
        db.execute(
            f"COPY (SELECT * FROM read_csv('{like}', header = true, all_varchar = true) UNION ALL "
            f"SELECT like_one.* REPLACE ({listed}) FROM range({size // ROW}) AS numbers(n), "
            f"(SELECT * FROM read_csv('{like}', header = true, all_varchar = true) LIMIT 1) AS like_one) "
            f"TO '{path}' (FORMAT csv, HEADER true)"
        )
    return path
