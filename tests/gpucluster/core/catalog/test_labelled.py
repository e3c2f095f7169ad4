"""The tables of types with labels or tags are those of the installed SDKs."""

from __future__ import annotations

import pytest

from gpucluster.core.catalog.labels import PACKAGES, argument_of, labelled
from tests.cases import cases
from tools.labelled import read_sdk


@pytest.mark.parametrize("package", PACKAGES)
def test_the_table_is_up_to_date(package):
    assert dict(labelled(package)) == read_sdk(package), "run: python -m tools.labelled"


@cases
def test_types_of_a_training_cluster_are_in_it_or_take_none(type_, argument):
    assert argument_of(type_) == argument
