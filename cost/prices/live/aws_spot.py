"""The prices on AWS's own page of spot prices: one JSON file for all regions, without credentials.

Undocumented. Its format, according to programs that read it: `config.regions[].instanceTypes[].sizes[]`, each with
`valueColumns[]` of an operating system and `prices.USD`, `N/A*` if nothing is offered. Prices are per region; prices
per zone are available only to an account.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpucluster.cost.prices.live.query import Offer, Tier, amount
from gpucluster.cost.prices.live.web import SourceFailed, Web

ADDRESS: Final = "https://website.spot.ec2.aws.a2z.com"
SERVICE: Final = "EC2 spot prices"


def offers(web: Web, regions: Sequence[str], today: str, address: str = ADDRESS) -> Iterator[tuple[str, list[Offer]]]:
    """(region, its offers) for the regions of the page. Raises SourceFailed."""
    url = f"{address}/spot.json"
    document = web.document(url)
    try:
        places = {str(place["region"]): list(_of_region(place, today)) for place in document["config"]["regions"]}
    except (KeyError, TypeError, AttributeError) as error:
        raise SourceFailed(f"{url}: unexpected answer ({error!r}); its shape has changed") from None
    web.say(f"AWS {SERVICE}: {len(places)} regions")
    yield from ((region, places[region]) for region in regions if region in places)


def _of_region(place: Mapping[str, Any], today: str) -> Iterator[Offer]:
    for group in place["instanceTypes"]:
        for size in group["sizes"]:
            for column in size["valueColumns"]:
                name, usd = str(size["size"]), str(column["prices"]["USD"])
                if usd[:1].isdigit():
                    tier = Tier(amount(0, name), amount(usd, f"the spot price of {name}"))
                    fields = {"instancetype": name, "operatingsystem": str(column["name"])}
                    yield Offer(f"{name} {column['name']}", fields, "Hrs", (tier,), today)
