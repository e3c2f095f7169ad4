"""addresses-clear-of-reserved-ranges on Azure: InfiniBand's range and those AKS keeps."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.addresses_clear_of_reserved_ranges import RULE


@pytest.mark.parametrize("written", ["172.16.0.0/16", "172.16.128.0/20", "172.16.0.0/12", "172.0.0.0/8"])
def test_a_network_on_infinibands_range_is_found(nd, found, written):
    nd["vnet"]["addressSpace"]["addressPrefixes"] = ["10.16.0.0/12", written]
    [(name, what)] = found(RULE, nd)
    assert name == "vnet"
    assert what.startswith(f"virtual network `vnet` at {written}, which overlaps InfiniBand's 172.16.0.0/16")


@pytest.mark.parametrize("kept", ["169.254.0.0/16", "172.30.0.0/16", "172.31.0.0/16", "192.0.2.0/24"])
def test_aks_keeps_ranges_of_every_cluster(nd, found, kept):
    nd.remove("train")
    nd["cluster"]["networkProfile"]["serviceCidr"] = kept
    assert found(RULE, nd) == [("cluster", f"services at {kept}, which overlaps AKS's {kept}")]
