"""What still uses a network."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.sandbox.clouds.gcp.deletion import _networks, _subnetworks
from gpucluster.sandbox.clouds.store.ledger import Entry


def _entry(**inputs: Any) -> Entry:
    return Entry(
        provider="gcp",
        scope="p",
        type="gcp:compute/instance:Instance",
        id="i",
        name="i",
        urn="u",
        inputs=inputs,
        outputs={"zone": "us-central1-a"},
    )


@pytest.mark.parametrize(
    "inputs",
    [
        {"network": "n"},
        {"network": "https://www.googleapis.com/compute/v1/projects/p/global/networks/n"},
        {"networks": [{"network": "n"}]},
        {"networkInterfaces": [{"network": "projects/p/global/networks/n"}]},
        {"networkConfig": {"additionalNodeNetworkConfigs": [{"network": "n"}]}},
    ],
)
def test_a_network_is_used_wherever_it_is_named(inputs: dict[str, Any]) -> None:
    assert list(_networks(_entry(**inputs))) == ["projects/p/global/networks/n"]


def test_every_network_of_a_resource_is_used() -> None:
    entry = _entry(
        network="a",
        networks=[{"network": "b"}, {}],
        networkInterfaces=[{"network": "c"}, {"network": "d"}],
        networkConfig={"additionalNodeNetworkConfigs": [{"network": "e"}]},
    )
    assert [path.rsplit("/", 1)[1] for path in _networks(entry)] == ["a", "b", "c", "d", "e"]


def test_a_subnetwork_lies_in_the_region_of_the_resource() -> None:
    entry = _entry(subnetwork="s", networkInterfaces=[{"subnetwork": "t"}])
    assert [*_subnetworks(entry)] == [f"projects/p/regions/us-central1/subnetworks/{name}" for name in "st"]
