"""The registry of handlers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gpucluster.cost.handlers
from gpucluster.core.catalog.resource_types import free_types
from gpucluster.cost.handlers import files_of, packages, scope_of
from gpucluster.cost.handlers.registry import priced_types, prices

FOLDER = Path(gpucluster.cost.handlers.__file__).parent


def test_every_file_with_a_handler_is_registered() -> None:
    files = {path.stem for path in FOLDER.glob("*.py") if "\n@prices(" in path.read_text()}
    assert files - {name for package in packages() for name in files_of(package)} == set()
    assert {handler.__module__.rsplit(".", 1)[1] for handler in priced_types().values()} == {*files, "rates_table"}


def test_a_file_prices_types_of_its_package_only() -> None:
    package_of = {name: package for package in packages() for name in files_of(package)}
    found = {
        (type_.partition(":")[0], handler.__module__.rsplit(".", 1)[1]) for type_, handler in priced_types().items()
    }
    assert [(package, name) for package, name in sorted(found) if package_of.get(name, package) != package] == []


def test_pricing_a_cloud_imports_no_other() -> None:
    program = """
import sys
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import estimate
handlers = "gpucluster.cost.handlers."
assert [name for name in sys.modules if name.startswith(handlers)] == [f"{handlers}registry"]
estimate(Resources([Resource(urn="urn:pulumi:dev::p::aws:kms/key:Key::k", type="aws:kms/key:Key", name="k")]))
print(*(f"{handlers}{name}" in sys.modules for name in ("aws_services", "gcp_services", "azure_services")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"]


def test_an_object_of_kubernetes_is_priced_by_a_file_of_its_api_group() -> None:
    found = {type_: handler.__module__.rsplit(".", 1)[1] for type_, handler in priced_types().items()}
    objects = {type_: name for type_, name in found.items() if type_.startswith("kubernetes:")}
    assert objects
    assert {type_: name for type_, name in objects.items() if name not in files_of(scope_of(type_))} == {}


def test_a_type_has_one_handler() -> None:
    with pytest.raises(ValueError, match=r"already has a handler: gpucluster\.cost\.handlers\.aws_services"):
        prices("aws:kms/key:Key")(lambda _: iter(()))


def test_no_type_is_both_priced_and_free() -> None:
    assert set(priced_types()) & set(free_types()) == set()


def test_a_type_of_two_names_has_one_handler() -> None:
    known = priced_types()
    assert known["aws:s3/bucketV2:BucketV2"] is known["aws:s3/bucket:Bucket"]
