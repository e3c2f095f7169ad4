"""purchase-fits-machine on Azure: spot, reservations and what only spot takes."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.purchase_fits_machine import RULE


@pytest.mark.parametrize("setting", [{"scaleSetEvictionPolicy": "Delete"}, {"spotMaxPrice": -1.0}])
def test_what_only_spot_takes_is_found(nd, found, setting):
    nd["train"].update(setting)
    assert found(RULE, nd) == [("train", f"{next(iter(setting))} without scaleSetPriority Spot")]
    nd["train"]["scaleSetPriority"] = "Spot"
    assert found(RULE, nd) == []
