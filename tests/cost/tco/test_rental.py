"""Owning against prices of a cloud."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.cost.tco import Inputs, Own, against, own_cluster

PUBLISHED = ("spare_share=0", "kw_per_node=4.48", "idle_power_share=0")


def _own(*settings: str) -> Own:
    return own_cluster(Inputs.of(settings=[*PUBLISHED, *settings]))


def _only(usd_per_gpu_year: str) -> Own:
    """A cluster that costs so much a year for each GPU, whatever its use."""
    nothing = ("node_usd=0", "network_usd_per_gpu_hour=0", "people_per_64_gpus=0", "usd_per_kwh=0")
    return _own(*nothing, f"other_usd_per_gpu_year={usd_per_gpu_year}")


def test_18628_a_year_against_5_25_an_hour_breaks_even_at_40_5_percent() -> None:
    found = against(_only("18628"), "cloud", Decimal("5.25"), idle_too=False)
    assert found.break_even is not None
    assert round(found.break_even, 3) == Decimal("0.405")  # 18,628 / (5.25 x 8,760)


def test_with_staff_in_it_the_same_break_even_is_about_54_percent() -> None:
    found = against(_own(), "cloud", Decimal("5.25"), idle_too=False)
    assert found.break_even is not None
    assert round(found.break_even, 2) == Decimal("0.54")


def test_at_the_break_even_both_cost_the_same() -> None:
    for settings in ((), ("idle_power_share=1",), ("downtime_share=0.05", "storage_usd=2000000")):
        own = _own(*settings)
        found = against(own, "cloud", Decimal("5.25"), idle_too=False)
        assert found.break_even is not None
        assert round(own.per_gpu_hour_at(found.break_even), 9) == Decimal("5.25")


@pytest.mark.parametrize("rate", ["0.05", "2.5"])
def test_a_cheap_cloud_is_never_beaten(rate: str) -> None:
    assert against(_own(), "cloud", Decimal(rate), idle_too=False).break_even is None


def test_a_reservation_that_is_paid_idle_too_differs_by_the_year() -> None:
    own = _own("utilisation=0.5")
    found = against(own, "reserved", Decimal("5.08"), idle_too=True)
    assert (found.break_even, found.curve) == (None, ())
    assert found.yearly == Decimal("5.08") * 64 * 8760 - own.annual
    assert against(_own("utilisation=0.9"), "reserved", Decimal("5.08"), idle_too=True).yearly == pytest.approx(
        found.yearly, rel=Decimal("0.02")
    )


def test_the_curve_falls_with_use_and_crosses_the_price_at_the_break_even() -> None:
    found = against(_own(), "cloud", Decimal("5.25"), idle_too=False)
    assert [point.utilisation for point in found.curve] == [Decimal(5 * step) / 100 for step in range(1, 21)]
    costs = [point.own for point in found.curve]
    assert costs == sorted(costs, reverse=True)
    assert found.break_even is not None
    assert [point.own > point.cloud for point in found.curve] == [
        point.utilisation < found.break_even for point in found.curve
    ]
