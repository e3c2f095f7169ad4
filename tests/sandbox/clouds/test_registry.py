"""Which clouds are simulated."""

from __future__ import annotations

from pathlib import Path

import pytest
from pulumi.runtime.proto import provider_pb2

from gpucluster.sandbox.clouds.ledger import Ledger
from gpucluster.sandbox.clouds.registry import SIMULATED, Clouds
from gpucluster.sandbox.clouds.sdk import Sdk, installed_sdks, site_packages


@pytest.mark.parametrize("package", sorted(SIMULATED))
def test_each_simulated_package_has_a_provider_with_the_version_of_its_sdk(package: str, ledger: Ledger) -> None:
    sdks = installed_sdks(site_packages(None))
    provider = Clouds(sdks, ledger).provider(package)
    assert provider.GetPluginInfo(provider_pb2.ConfigureRequest(), None).version == sdks[package].version


def test_a_provider_that_is_not_simulated_is_named_in_one_line(tmp_path: Path, ledger: Ledger) -> None:
    (tmp_path / "provider.py").touch()
    provider = Clouds({"random": Sdk("random", "1.0.0", tmp_path)}, ledger).provider("random")
    answer = provider.CheckConfig(provider_pb2.CheckRequest(), None)
    assert [failure.reason for failure in answer.failures] == [
        "the sandbox does not simulate the provider 'random'; simulated: aws, azure-native, gcp, kubernetes"
    ]
