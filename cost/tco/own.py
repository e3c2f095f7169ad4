"""The yearly cost of an owned cluster, item by item, and the cost of a productive GPU-hour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpucluster.cost.tco.inputs import Inputs

HOURS_PER_YEAR: Final = Decimal(8760)


@dataclass(frozen=True, slots=True)
class Item:
    """One cost. annual: USD per year, None if an input is missing. inputs: its inputs."""

    name: str
    annual: Decimal | None
    how: str
    inputs: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Own:
    """Your own cluster.

    gpus: usable by jobs, without spares. spares: spare nodes bought with them. capital: USD paid at the start.
    fixed: USD per year at any use. per_use: additional USD per year at full use. kwh: electricity per year, of the
    whole building.
    """

    inputs: Inputs
    gpus: Decimal
    spares: Decimal
    capital: Decimal
    items: tuple[Item, ...]
    fixed: Decimal
    per_use: Decimal
    kwh: Decimal

    @property
    def co2_tonnes(self) -> Decimal | None:
        """Tonnes of CO2e per year, None if the carbon intensity of the electricity is not given."""
        intensity = self.inputs.get("kg_co2_per_kwh")
        return None if intensity is None else self.kwh * intensity / 1000

    @property
    def utilisation(self) -> Decimal:
        """Share of the hours without downtime in which GPUs do useful work."""
        return self.inputs.number("utilisation")

    @property
    def available_gpu_hours(self) -> Decimal:
        """GPU-hours per year without downtime."""
        return self.gpus * HOURS_PER_YEAR * (1 - self.inputs.number("downtime_share"))

    @property
    def productive_gpu_hours(self) -> Decimal:
        """GPU-hours per year of useful work."""
        return self.available_gpu_hours * self.utilisation

    @property
    def annual(self) -> Decimal:
        """USD per year at the utilisation of the inputs; a lower bound if items are not included."""
        return self.annual_at(self.utilisation)

    def annual_at(self, utilisation: Decimal) -> Decimal:
        """USD per year at another utilisation: idle machines draw less power."""
        return self.fixed + self.per_use * utilisation

    def per_gpu_hour_at(self, utilisation: Decimal) -> Decimal:
        """USD per productive GPU-hour at a utilisation above 0."""
        return self.annual_at(utilisation) / (self.available_gpu_hours * utilisation)

    @property
    def per_productive_gpu_hour(self) -> Decimal:
        """USD per productive GPU-hour."""
        return self.annual / self.productive_gpu_hours

    @property
    def per_gpu_year(self) -> Decimal:
        """USD per year of one usable GPU."""
        return self.annual / self.gpus

    @property
    def not_included(self) -> tuple[Item, ...]:
        """Costs with a missing input."""
        return tuple(item for item in self.items if item.annual is None)

    @property
    def is_least(self) -> bool:
        """Whether a sum is a lower bound: all missing items increase it, except the nodes' value at the end."""
        return any(item.name != "worth at the end" for item in self.not_included)


def own_cluster(inputs: Inputs) -> Own:
    """The cost of owning the described cluster."""
    nodes = inputs.number("nodes")
    spares = (nodes * inputs.number("spare_share")).to_integral_value(ROUND_CEILING)
    bought, gpus = nodes + spares, nodes * inputs.number("gpus_per_node")
    power = _Power(inputs, nodes, spares)
    capital = (
        bought * (inputs.number("node_usd") + inputs.number("network_usd_per_node"))
        + inputs.number("storage_usd")
        + inputs.number("installation_usd")
    )
    items = (*_capital_items(inputs, bought, capital), *_running(inputs, bought, gpus), power.item())
    fixed = sum((item.annual or Decimal(0) for item in items), Decimal(0)) - power.annual + power.fixed
    return Own(
        inputs=inputs,
        gpus=gpus,
        spares=spares,
        capital=capital,
        items=items,
        fixed=fixed,
        per_use=power.per_use,
        kwh=power.kwh,
    )


def _capital_items(inputs: Inputs, bought: Decimal, capital: Decimal) -> Iterator[Item]:
    life, rate = inputs.number("life_years"), inputs.get("cost_of_capital_per_year")
    residual = inputs.number("residual_share") * bought * inputs.number("node_usd")
    for name, input_, amount, how in (
        ("nodes", "node_usd", bought * inputs.number("node_usd"), f"{bought:,f} nodes"),
        (
            "fabric, bought",
            "network_usd_per_node",
            bought * inputs.number("network_usd_per_node"),
            f"{bought:,f} nodes",
        ),
        ("storage", "storage_usd", inputs.number("storage_usd"), "bought at the start"),
        ("installation", "installation_usd", inputs.number("installation_usd"), "paid at the start"),
    ):
        given = inputs.get(input_) is not None
        yield Item(name, amount / life if given else None, f"{how}, over {life:f} years", (input_, "life_years"))
    worth = inputs.get("residual_share")
    yield Item(
        "worth at the end", None if worth is None else -residual / life, "resale value of nodes", ("residual_share",)
    )
    interest = None if rate is None else _annuity(capital, residual, rate, life) - (capital - residual) / life
    yield Item("cost of capital", interest, "equal yearly payments", ("cost_of_capital_per_year",))


def _annuity(capital: Decimal, residual: Decimal, rate: Decimal, years: Decimal) -> Decimal:
    """USD per year that repays capital with interest over the years, `residual` being repaid at their end."""
    if not rate:
        return (capital - residual) / years
    worth_now = (1 + rate) ** -years
    return (capital - residual * worth_now) * rate / (1 - worth_now)


def _running(inputs: Inputs, bought: Decimal, gpus: Decimal) -> Iterator[Item]:
    get, number = inputs.get, inputs.number
    share = get("maintenance_share_per_year")
    yield Item(
        "maintenance",
        None if share is None else share * bought * number("node_usd"),
        "a share of the price of all nodes",
        ("maintenance_share_per_year", "node_usd"),
    )
    hourly = get("network_usd_per_gpu_hour")
    yield Item(
        "fabric and network, by the hour",
        None if hourly is None else hourly * gpus * HOURS_PER_YEAR,
        f"{gpus:,f} GPUs, every hour",
        ("network_usd_per_gpu_hour",),
    )
    rack = get("rack_usd_per_kw_month")
    yield Item(
        "rack",
        None if rack is None else rack * 12 * number("kw_per_node") * bought,
        f"power of {bought:,f} nodes, drawn or not",
        ("rack_usd_per_kw_month", "kw_per_node"),
    )
    people, person = get("people_per_64_gpus"), get("person_usd_per_year")
    yield Item(
        "staff",
        None if people is None or person is None else people / 64 * gpus * person,
        f"{(number('people_per_64_gpus') / 64 * gpus).normalize():,f} people",
        ("people_per_64_gpus", "person_usd_per_year"),
    )
    other = get("other_usd_per_gpu_year")
    yield Item("other", None if other is None else other * gpus, f"{gpus:,f} GPUs", ("other_usd_per_gpu_year",))


@dataclass(frozen=True, slots=True)
class _Power:
    """Electricity: all nodes draw the idle share of their power all the time, and busy ones the rest of it."""

    inputs: Inputs
    nodes: Decimal
    spares: Decimal

    @property
    def _of_a_node(self) -> Decimal:
        """kWh per year of a node that never idles, including its building's overhead."""
        return self.inputs.number("kw_per_node") * self.inputs.number("pue") * HOURS_PER_YEAR

    @property
    def _fixed_kwh(self) -> Decimal:
        return (self.nodes + self.spares) * self.inputs.number("idle_power_share") * self._of_a_node

    @property
    def _use_kwh(self) -> Decimal:
        """Additional kWh per year at full use."""
        working = self.nodes * (1 - self.inputs.number("downtime_share"))
        return working * (1 - self.inputs.number("idle_power_share")) * self._of_a_node

    @property
    def kwh(self) -> Decimal:
        return self._fixed_kwh + self._use_kwh * self.inputs.number("utilisation")

    @property
    def fixed(self) -> Decimal:
        return self._fixed_kwh * self.inputs.number("usd_per_kwh")

    @property
    def per_use(self) -> Decimal:
        return self._use_kwh * self.inputs.number("usd_per_kwh")

    @property
    def annual(self) -> Decimal:
        return self.kwh * self.inputs.number("usd_per_kwh")

    def item(self) -> Item:
        names = ("kw_per_node", "pue", "usd_per_kwh", "idle_power_share")
        how = f"{self.nodes + self.spares:,f} nodes at {self.inputs.number('kw_per_node'):f} kW"
        return Item("electricity", self.annual, f"{how}, PUE {self.inputs.number('pue'):f}", names)
