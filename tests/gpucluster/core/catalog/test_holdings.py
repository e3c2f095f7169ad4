"""The table of what types hold names types and flags of the installed SDKs: another token would never match."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from gpucluster.core.catalog.resource_types import (
    CONTENTS,
    CONTROL_PLANE,
    ENCRYPTION_KEY,
    NODE_POOL,
    RESERVED_CAPACITY,
    SHARED_STORAGE,
    SINGLE_DISK,
    holdings,
)
from tools.labelled import sources

# Version 3 of azure-native renamed it; programs of version 2 have it still.
OF_VERSION_2 = {"azure-native:netapp:Volume"}


def test_every_type_holds_one_of_seven_things_and_is_lost_by_deletion_or_replacement():
    known = {SHARED_STORAGE, SINGLE_DISK, RESERVED_CAPACITY, CONTROL_PLANE, NODE_POOL, CONTENTS, ENCRYPTION_KEY}
    assert {holding.holds for holding in holdings().values()} == known
    assert {holding.lost_on for holding in holdings().values()} == {("delete", "replace"), ("replace",), ()}


@pytest.mark.parametrize(("package", "prefix"), [("pulumi_aws", "aws:"), ("pulumi_gcp", "gcp:")])
def test_every_type_in_the_tables_and_its_flag_are_those_of_the_sdk(package, prefix):
    known = {source.token: source for source in sources(package)}
    for type_, holding in holdings().items():
        if type_.startswith(prefix):
            assert type_ in known
            flag = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in holding.only_if or "")
            assert flag in known[type_].arguments


def test_every_type_of_azure_in_the_tables_is_a_resource_of_the_sdk():
    spec = find_spec("pulumi_azure_native")
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent
    for type_ in holdings():
        if type_.startswith("azure-native:") and type_ not in OF_VERSION_2:
            _, module, name = type_.split(":")
            files = (folder / module).glob("*.py")
            assert any(f"class {name}(pulumi.CustomResource)" in file.read_text() for file in files), type_
