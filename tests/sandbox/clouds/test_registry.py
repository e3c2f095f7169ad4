"""Which clouds are simulated."""

from __future__ import annotations

from pathlib import Path

import pytest
from pulumi.runtime.proto import provider_pb2

from gpucluster.sandbox.clouds.registry import SIMULATED, Clouds
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.sdk_types import Sdk, installed_sdks, site_packages
from gpucluster.sandbox.clouds.types.values import from_struct, to_struct


@pytest.mark.parametrize("package", sorted(SIMULATED))
def test_each_simulated_package_has_a_provider_with_the_version_of_its_sdk(package: str, ledger: Ledger) -> None:
    sdks = installed_sdks(site_packages(None))
    provider = Clouds(sdks, ledger).provider(package)
    assert provider.GetPluginInfo(provider_pb2.ConfigureRequest(), None).version == sdks[package].version


def test_a_provider_that_is_not_simulated_takes_what_it_is_given(tmp_path: Path, ledger: Ledger) -> None:
    (tmp_path / "provider.py").touch()
    provider = Clouds({"mysql": Sdk("mysql", "1.0.0", tmp_path)}, ledger).provider("mysql")
    answer = provider.CheckConfig(provider_pb2.CheckRequest(news=to_struct({"endpoint": "db:3306"})), None)
    assert ([*answer.failures], from_struct(answer.inputs)) == ([], {"endpoint": "db:3306"})
