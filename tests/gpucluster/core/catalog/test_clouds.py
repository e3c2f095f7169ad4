"""The registry of clouds."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.core.catalog.clouds import CloudRow, cloud_of_package, clouds, fact_of, module_of, modules_of
from gpucluster.errors import InputError
from tests.says import Says


def test_a_cloud_is_found_by_its_name_and_by_its_package() -> None:
    azure = CloudRow("azure", "Azure", "azure-native")
    assert (clouds()["azure"], cloud_of_package("azure-native"), azure.sdk) == (azure, azure, "pulumi_azure_native")


def test_a_package_of_no_cloud_has_none() -> None:
    assert cloud_of_package("kubernetes") is None


def test_a_module_is_found_on_the_clouds_that_have_it_in_the_order_of_the_registry() -> None:
    found = modules_of("gpucluster.policies.clouds.{cloud}.declared_pools")
    assert [(cloud.name, module.__name__) for cloud, module in found] == [
        (name, f"gpucluster.policies.clouds.{name}.declared_pools") for name in ("gcp", "azure")
    ]


def test_a_module_whose_own_import_is_missing_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_part.py").write_text("import no_such_package_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert module_of("absent_part.below") is None
    with pytest.raises(ModuleNotFoundError, match="no_such_package_at_all"):
        module_of("broken_part")


def test_a_cloud_without_a_fact_is_refused_with_the_clouds_that_have_one_and_the_file_to_add_it_to() -> None:
    facts = {"aws": 1, "gcp": 2}
    assert fact_of(facts, "gcp", "sizes (sizes.py)") == 2
    with pytest.raises(InputError) as error:
        fact_of(facts, "toy", "sizes (sizes.py)")
    assert str(error.value) == Says("toy", "sizes.py")
