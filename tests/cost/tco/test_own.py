"""Owning, recomputed by hand; the published example comes out of its own inputs."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost.tco import BadInputs, Inputs, own_cluster
from gpucluster.cost.tco.inputs import fields
from tests.says import Says

PUBLISHED = (
    "nodes=8", "spare_share=0", "node_usd=425000", "life_years=3", "utilisation=0.8", "people_per_64_gpus=1.5",
    "person_usd_per_year=250000", "kw_per_node=4.48", "idle_power_share=1", "pue=1.3", "usd_per_kwh=0.10",
    "network_usd_per_gpu_hour=0.08",
)  # fmt: skip
"""A course's example: DGX H100 nodes at $425,000 for 8 GPUs over 3 years, 80 % use, 64 GPUs run by 1.5 people at
$250,000, 0.56 kW a GPU (4.48 a node) on average at that use, PUE 1.3, $0.10 a kWh, and for the network $0.10 a
productive GPU-hour, which is $0.08 an hour."""

NOTHING = ("spare_share=0", "node_usd=0", "network_usd_per_gpu_hour=0", "people_per_64_gpus=0", "usd_per_kwh=0")


def _annual(*settings: str) -> dict[str, Decimal]:
    own = own_cluster(Inputs.of(settings=[*NOTHING, *settings]))
    return {item.name: item.annual for item in own.items if item.annual}


def test_each_part_of_the_published_example_is_that_of_its_source_and_their_sum_3_56() -> None:
    own = own_cluster(Inputs.of(settings=PUBLISHED))
    parts = {item.name: item.annual / own.productive_gpu_hours for item in own.items if item.annual}
    assert own.items[-1].annual == 64 * Decimal("0.56") * Decimal("1.3") * Decimal("0.10") * 8760  # $637.7 a GPU
    rounded = {name: round(part, 2) for name, part in parts.items()}
    assert rounded == {
        "nodes": Decimal("2.53"),
        "staff": Decimal("0.84"),
        "electricity": Decimal("0.09"),
        "fabric and network, by the hour": Decimal("0.10"),
    }
    assert sum(rounded.values()) == Decimal("3.56")  # the source adds rounded parts
    assert round(own.per_productive_gpu_hour, 4) == Decimal("3.5540")


def test_with_nodes_that_draw_less_idle_it_is_less_and_with_a_spare_node_more() -> None:
    prices = [
        own_cluster(Inputs.of(settings=[*PUBLISHED, *more])).per_productive_gpu_hour
        for more in ((), ("idle_power_share=0",), ("spare_share=0.05",))
    ]
    assert [round(price, 2) for price in prices] == [Decimal("3.55"), Decimal("3.54"), Decimal("3.88")]


@pytest.mark.parametrize(
    ("settings", "items"),
    [
        (("node_usd=300000", "life_years=4"), {"nodes": Decimal(600000)}),
        (("node_usd=300000", "spare_share=0.1"), {"nodes": Decimal(900000)}),  # 0.8 spares are 1 node
        (("node_usd=300000", "residual_share=0.1"), {"nodes": Decimal(800000), "worth at the end": Decimal(-80000)}),
        (("network_usd_per_node=30000",), {"fabric, bought": Decimal(80000)}),
        (("storage_usd=600000", "installation_usd=90000"),
         {"storage": Decimal(200000), "installation": Decimal(30000)}),
        (("node_usd=100000", "maintenance_share_per_year=0.08"),
         {"nodes": Decimal(800000) / 3, "maintenance": Decimal(64000)}),
        (("rack_usd_per_kw_month=150",), {"rack": Decimal(150 * 12 * 80)}),
        (("usd_per_kwh=0.05", "idle_power_share=0.5", "utilisation=0.6", "downtime_share=0.1"),
         {"electricity": 80 * Decimal("1.3") * Decimal("0.05") * 8760 * (Decimal("0.5") + Decimal("0.27"))}),
        (("other_usd_per_gpu_year=100",), {"other": Decimal(6400)}),
    ],
)  # fmt: skip
def test_each_cost_follows_from_its_inputs(settings: tuple[str, ...], items: dict[str, Decimal]) -> None:
    assert _annual(*settings) == items


def test_interest_is_what_equal_payments_take_beyond_the_price() -> None:
    items = _annual("node_usd=100000", "cost_of_capital_per_year=0.1", "life_years=2")
    # 800,000 at 10 % over 2 years: 460,952.38 a year, of which 400,000 pays the price back
    assert round(items["cost of capital"], 2) == Decimal("60952.38")
    free = own_cluster(Inputs.of(settings=[*NOTHING, "node_usd=100000", "cost_of_capital_per_year=0"]))
    assert next(item.annual for item in free.items if item.name == "cost of capital") == 0


def test_what_nobody_gave_is_named_and_not_zero() -> None:
    own = own_cluster(Inputs.of())
    assert [item.name for item in own.not_included] == [
        "fabric, bought", "storage", "installation", "worth at the end", "cost of capital", "maintenance", "rack",
        "other",
    ]  # fmt: skip
    given = [f"{field.name}={field.least}" for field in fields().values() if field.default is None]
    assert own_cluster(Inputs.of(settings=given)).not_included == ()


def test_the_items_sum_to_the_year() -> None:
    own = own_cluster(Inputs.of(settings=["storage_usd=1000000", "idle_power_share=0.3", "downtime_share=0.02"]))
    assert round(sum(item.annual or Decimal(0) for item in own.items), 9) == round(own.annual, 9)


def test_32_nodes_at_10_kw_are_1241_tonnes_a_year() -> None:
    settings = ("nodes=32", "spare_share=0", "kw_per_node=10", "pue=1.2", "kg_co2_per_kwh=0.369", "idle_power_share=1")
    tonnes = own_cluster(Inputs.of(settings=settings)).co2_tonnes
    assert tonnes == 32 * 10 * Decimal("1.2") * 8760 * Decimal("0.369") / 1000
    assert tonnes is not None
    assert round(tonnes) == 1241
    assert own_cluster(Inputs.of()).co2_tonnes is None


def test_a_file_gives_inputs_and_set_goes_before_it(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text("usd_per_kwh: 0.07\nnodes: 32\nstorage_usd:\n")
    inputs = Inputs.of(file=path, settings=["nodes=16"])
    shown = ("usd_per_kwh", "nodes", "storage_usd")
    assert [(name, inputs.get(name), inputs.given[name].source) for name in shown] == [
        ("usd_per_kwh", Decimal("0.07"), "yours, ours.yaml"),
        ("nodes", Decimal(16), "yours, --set"),
        ("storage_usd", None, "yours, ours.yaml"),
    ]  # fmt: skip


def test_values_with_two_readings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text("nodes: 010\nlife_years: 1:30\n")
    with pytest.raises(BadInputs) as raised:
        Inputs.of(file=path)
    assert str(raised.value).splitlines() == [
        Says(path, "1", "010", "YAML", "1.1", "8", "YAML", "1.2", "10", "8", "10", "010"),
        Says(path, "2", "life_years", "1:30", "YAML", "1.1", "90", "YAML", "1.2", "90", "1:30"),
    ]


def test_everything_that_is_wrong_is_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text("utilisation: 80\nusd_kwh: 1\npue: true\nnodes: 3.5\n")
    with pytest.raises(BadInputs) as raised:
        Inputs.of(file=path, settings=["nodes", "life_years=soon"])
    assert str(raised.value).splitlines() == [
        Says("--set", "nodes", "not", "NAME=VALUE", "usd_per_kwh=0.08"),
        Says("ours.yaml", "80", "0.01", "1"),
        Says("ours.yaml", "usd_kwh", "not", "usd_per_kwh", "rack_usd_per_kw_month"),
        Says("ours.yaml", "1", "5"),
        Says("ours.yaml", "3.5", "1", "100,000"),
        Says("--set", "life_years", "soon", "1", "20"),
    ]


@pytest.mark.parametrize("name", [field.name for field in fields().values() if field.least])
def test_an_input_that_others_are_divided_by_needs_a_value(name: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(f"{name}: null\n")
    with pytest.raises(BadInputs) as raised:
        Inputs.of(file=path)
    assert str(raised.value) == f"ours.yaml: {name} has no value; write {fields()[name].allowed}"


@pytest.mark.parametrize(
    ("text", "problem"), [("[1, 2]", "has no inputs"), ("a: b: c", "line 1: a second"), ("", "has no inputs")]
)
def test_a_file_that_holds_no_inputs_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(text)
    with pytest.raises(BadInputs, match=problem):
        Inputs.of(file=path)
