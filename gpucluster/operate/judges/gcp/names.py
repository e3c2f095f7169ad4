"""Names in Google's discovery documents for the types and properties of pulumi-gcp: `types.csv` and `properties.csv`.

Both follow the documentation of the resources in both systems. A property without a row has the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpucluster.operate.judges.names import Names, table


@dataclass(frozen=True)
class Shape:
    """document: name of a file without `.json`, such as `compute.beta`. schema: the key under its `schemas`."""

    document: str
    schema: str


TYPES: Final[Mapping[str, Shape]] = {
    row["type"]: Shape(row["document"], row["schema"]) for row in table("gpucluster.operate.judges.gcp", "types.csv")
}
"""Type token of pulumi-gcp -> its schema in the API."""

NAMES: Final = Names(table("gpucluster.operate.judges.gcp", "properties.csv"), lambda name: name)
