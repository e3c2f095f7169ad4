"""The live lists of the three clouds behind one interface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gpucluster.cost.prices.live import aws_api, aws_offers, aws_spot, azure, google
from gpucluster.cost.prices.live.query import Offer, Query
from gpucluster.cost.prices.live.web import Web

ADDRESSES: Mapping[str, str] = {
    "aws": aws_offers.ADDRESS,
    "azure": azure.ADDRESS,
    "gcp": google.ADDRESS,
}
"""Address of each list, unless a mirror is used."""


@dataclass
class Sources:
    """Queries the list of a cloud.

    today: date for prices without one in the list, ISO. google_key: API key. products: AWS's query API, used in place
    of the bulk files; savings plans and spot prices exist only in files, which a mirror keeps side by side.
    """

    web: Web
    today: str
    google_key: str = field(default="", repr=False)
    products: aws_api.Products | None = None
    addresses: Mapping[str, str] = field(default_factory=lambda: ADDRESSES)

    def __call__(
        self, provider: str, service: str, regions: Sequence[str], asked: Sequence[Query]
    ) -> Iterable[tuple[str, Sequence[Offer]]]:
        """(region, offers there). Raises SourceFailed."""
        address = self.addresses[provider].rstrip("/")
        if provider == "azure":
            return azure.offers(self.web, service, regions, asked, self.today, address)
        if provider == "gcp":
            return google.offers(self.web, service, regions, self.today, self.google_key, address)
        if service == aws_spot.SERVICE:
            mirror = address != aws_offers.ADDRESS
            return aws_spot.offers(self.web, regions, self.today, address if mirror else aws_spot.ADDRESS)
        if self.products is not None and service != aws_offers.SAVINGS_PLANS:
            return aws_api.offers(self.products, service, regions, asked, self.web.say)
        return aws_offers.offers(self.web, service, regions, asked, address)
