"""What interruptions leave of spot, recomputed by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.cost.purchasing.rate import Settings
from gpucluster.cost.purchasing.spot_interruption import Interruption, Interruptions, interruptions


def _found(nodes: int, rate: str, checkpoint: str = "0.5", restart: str = "0.25") -> Interruptions:
    chosen = Settings(checkpoint_hours=Decimal(checkpoint), restart_hours=Decimal(restart))
    return interruptions(Decimal(nodes), _rate(rate), chosen)


def _rate(rate: str) -> Interruption:
    return Interruption(an_hour=Decimal(rate), text="")


@pytest.mark.parametrize(("nodes", "per_hour"), [(1, "0.02"), (4, "0.0776"), (32, "0.4761"), (64, "0.7255")])
def test_two_percent_an_hour_a_node_is_about_48_percent_for_32_nodes(nodes: int, per_hour: str) -> None:
    found = _found(nodes, "0.02")
    assert round(found.per_hour, 4) == Decimal(per_hour)


def test_half_a_checkpoint_interval_and_the_restart_are_lost_each_time() -> None:
    found = _found(32, "0.02")
    # -1 / (32 ln 0.98) = 1.5468 h between interruptions; (1.5468 - 0.25) / (1.5468 + 0.25) = 72.2 %
    assert found.between is not None
    assert (round(found.between, 4), found.lost) == (Decimal("1.5468"), Decimal("0.50"))
    assert round(found.useful, 4) == Decimal("0.7217")


def test_more_nodes_rarer_checkpoints_and_longer_restarts_leave_less() -> None:
    kept = [
        _found(nodes, "0.02", checkpoint, restart).useful
        for nodes, checkpoint, restart in [(4, "0.5", "0.25"), (8, "0.5", "0.25"), (8, "1", "0.25"), (8, "1", "1")]
    ]
    assert kept == sorted(kept, reverse=True)
    assert len(set(kept)) == 4


def test_nothing_is_kept_where_interruptions_come_faster_than_checkpoints() -> None:
    assert _found(64, "0.1", "1").useful == 0
    assert _found(4, "1").useful == 0


def test_without_interruptions_all_is_useful() -> None:
    assert _found(4, "0") == Interruptions(_rate("0"), Decimal(4), Decimal(0), None, Decimal("0.50"), Decimal(1))
