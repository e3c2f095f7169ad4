"""Converts machines to tonnes of CO2e."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

HOURS_PER_YEAR: Final = Decimal(8760)

KW_PER_NODE: Final = {"h100": Decimal(10), "h200": Decimal(10)}
"""GPU of a node with eight in SXM form -> kW under load. Source: a buyer's guide to H100 clusters; an H200 has the same
700 W as an H100 (NVIDIA data sheets). The power of other nodes is unknown here."""


def tonnes_a_year(nodes: Decimal, kw_per_node: Decimal, pue: Decimal, kg_per_kwh: Decimal) -> Decimal:
    """Tonnes of CO2e of nodes under load all year. kg_per_kwh: carbon intensity of the electricity."""
    return nodes * kw_per_node * pue * HOURS_PER_YEAR * kg_per_kwh / 1000
