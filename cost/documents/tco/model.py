"""Owning for machines. Money is text, as in `gpucluster cost report`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from gpucluster.cost.documents.words.plain import SCHEMA_VERSION, text_of
from gpucluster.cost.model import cents
from gpucluster.cost.tco import Against, Own

_SHARE = Decimal("0.0001")


def tco_model(own: Own, lives: Sequence[Own], found: Sequence[Against]) -> dict[str, Any]:
    """A document of plain values, in a stable order; amounts to the cent, shares to a hundredth of a percent."""
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "gpus": text_of(own.gpus),
        "spare_nodes": text_of(own.spares),
        "capital": _usd(own.capital),
        "annual": _usd(own.annual),
        "per_gpu_year": _usd(own.per_gpu_year),
        "per_productive_gpu_hour": _usd(own.per_productive_gpu_hour),
        "co2e_tonnes_a_year": None if own.co2_tonnes is None else text_of(round(own.co2_tonnes, 1)),
        "productive_gpu_hours": text_of(own.productive_gpu_hours),
        "by_life_years": {
            text_of(item.inputs.number("life_years")): _usd(item.per_productive_gpu_hour) for item in (own, *lives)
        },
        "items": [
            {
                "name": item.name,
                "annual": None if item.annual is None else _usd(item.annual),
                "how": item.how,
                "inputs": list(item.inputs),
            }
            for item in own.items
        ],
        "not_included": [item.name for item in own.not_included],
        "against": [
            {
                "name": item.name,
                "usd_per_gpu_hour": text_of(item.rate),
                "paid_idle_too": item.idle_too,
                "break_even_utilisation": None
                if item.break_even is None
                else text_of(item.break_even.quantize(_SHARE)),
                "saved_a_year": _usd(item.yearly),
                "curve": [
                    {
                        "utilisation": text_of(point.utilisation),
                        "own_per_gpu_hour": _usd(point.own),
                        "cloud_per_gpu_hour": _usd(point.cloud),
                    }
                    for point in item.curve
                ],
            }
            for item in found
        ],
        "inputs": {
            name: {
                "value": None if given.value is None else text_of(given.value),
                "unit": given.field.unit,
                "source": given.source if given.value is not None else "",
            }
            for name, given in own.inputs.given.items()
        },
    }


def _usd(amount: Decimal) -> str:
    return text_of(cents(amount))
