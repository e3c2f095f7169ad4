"""Keys in a key vault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import Free
from gpucluster.cost.pricing import CannotPrice, Pricing

_SOURCE: Final = "https://azure.microsoft.com/pricing/details/key-vault/"


@prices("azure-native:keyvault:Key")
def key(item: Pricing) -> Iterator[Free]:
    """A software key has no charge but for operations (Key Vault price page); one in an HSM is billed by the month."""
    kind = item.text("properties", "kty", default="RSA")
    if kind.endswith("-HSM"):
        raise CannotPrice(f"a key in an HSM ({kind}): no price known")
    yield item.free("no charge except for operations, which are not counted", _SOURCE)
