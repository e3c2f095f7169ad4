"""CloudFormation's names for the types and properties of pulumi-aws: `types.csv` and `properties.csv`.

Both follow the documentation of the resources in both systems. A property without a row has Pulumi's name with a
capital.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpucluster.judges.names import Names, table

TYPES: Final[Mapping[str, str]] = {row["type"]: row["schema"] for row in table("gpucluster.judges.aws", "types.csv")}
"""Type token of pulumi-aws -> type of CloudFormation."""

NAMES: Final = Names(table("gpucluster.judges.aws", "properties.csv"), lambda name: name[:1].upper() + name[1:])
