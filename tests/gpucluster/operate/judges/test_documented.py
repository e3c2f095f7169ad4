"""Values that a vendor's schema leaves open and its reference restricts."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.operate.judges.documented import broken_limits
from gpucluster.operate.judges.names import table
from gpucluster.operate.judges.verdicts import Outcome, judged
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from tests.cases import cases
from tests.gpucluster.operate.judges.conftest import resources


@cases
def test_a_value_outside_a_documented_limit_is_refused_with_its_page(type_, refused, accepted, path, page):
    (it,) = resources(it=(type_, refused)).of_type(type_)
    [(where, text)] = broken_limits(it)
    assert (where, page in text) == (path, True)
    for inputs in accepted:
        (it,) = resources(it=(type_, inputs)).of_type(type_)
        assert list(broken_limits(it)) == []


def test_a_refusal_is_in_the_verdict_beside_those_of_the_schema() -> None:
    inputs: dict[str, Any] = {"routes": [{"cidrBlock": "10.0.0.0/99", "gatewayId": 7}], "vpcId": "vpc-12345678"}
    [verdict] = judged(resources(it=("aws:ec2/routeTable:RouteTable", inputs)), ("aws",))
    assert (verdict.outcome, [one.path for one in verdict.refusals][-1]) == (Outcome.REFUSED, "routes[0].gatewayId")


@pytest.mark.parametrize("row", table("gpucluster.operate.judges", "documented.csv"), ids=lambda row: row["type"])
def test_a_row_names_an_input_of_its_type_and_a_page(row: dict[str, str]) -> None:
    package = row["type"].partition(":")[0]
    found = Schema(installed_sdks(site_packages(None))[package]).resource_type(row["type"])
    assert found is not None
    named = [row["path"], *(part.partition("=")[0] for part in filter(None, row["where"].split(";")))]
    assert {path.split(".")[0].removesuffix("[]") for path in named} <= set(found.inputs)
    assert row["source"] and row["as_of"]
