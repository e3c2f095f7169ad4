"""fabric-traffic-allowed on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.fabric_traffic_allowed import RULE


def _closed(protocols, *networks):
    named = ", ".join(f"`{network}`" for network in networks)
    what = f"{protocols} from the subnets of GPU network {named}"
    return [("train", f"5 nodes of a3-highgpu-8g; no firewall rule allows {what}")]


@pytest.mark.parametrize("number", range(3))
def test_each_protocol_is_needed(high, found, number):
    lost = high["gpu-0-in"]["allows"].pop(number)
    assert found(RULE, high) == _closed(lost["protocol"], "gpu-0")
