"""Which clouds are simulated."""

from __future__ import annotations

import pytest
from pulumi.runtime.proto import provider_pb2

from sandbox.clouds.ledger import Ledger
from sandbox.clouds.registry import SIMULATED, Clouds
from sandbox.clouds.sdk import installed_sdks, site_packages


@pytest.mark.parametrize("package", sorted(SIMULATED))
def test_each_simulated_package_has_a_provider_with_the_version_of_its_sdk(package: str, ledger: Ledger) -> None:
    sdks = installed_sdks(site_packages(None))
    provider = Clouds(sdks, ledger).provider(package)
    assert provider.GetPluginInfo(provider_pb2.ConfigureRequest(), None).version == sdks[package].version
