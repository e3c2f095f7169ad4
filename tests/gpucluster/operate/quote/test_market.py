"""Parts of the world, and where machines are sold."""

from __future__ import annotations

import pytest

from gpucluster.components.gcp.location import REGIONS
from gpucluster.core.catalog.aws_regions import aws_regions
from gpucluster.core.catalog.azure_regions import azure_regions
from gpucluster.core.catalog.machines import machines
from gpucluster.cost.prices import PriceBook
from gpucluster.operate.quote.market import asked_only, continent, continents, places_of


def test_every_region_that_a_cluster_can_stand_in_has_its_part_of_the_world() -> None:
    azure = (region for region, zones in azure_regions().items() if zones is not None)
    assert [region for region in (*aws_regions(), *REGIONS, *azure) if not continent(region)] == []


@pytest.mark.parametrize(
    ("region", "word"),
    [
        ("us-gov-west-1", "us-gov"), ("us-east-1", "us"), ("us-central1", "us"), ("westus3", "us"), ("eastus2", "us"),
        ("ca-central-1", "canada"), ("northamerica-northeast1", "canada"), ("mx-central-1", "mexico"),
        ("sa-east-1", "southamerica"), ("brazilsouth", "southamerica"), ("eu-north-1", "eu"), ("europe-west4", "eu"),
        ("uksouth", "eu"), ("westeurope", "eu"), ("ap-southeast-2", "oceania"), ("ap-southeast-1", "asia"),
        ("asia-east1", "asia"), ("eastasia", "asia"), ("centralindia", "asia"), ("il-central-1", "me"),
        ("me-west1", "me"), ("af-south-1", "africa"), ("southafricanorth", "africa"), ("cn-north-1", "china"),
        ("nowhere-1", ""),
    ],
)  # fmt: skip
def test_a_region_has_one_word(region: str, word: str) -> None:
    assert continent(region) == word


def test_other_clouds_of_a_cloud_are_quoted_only_when_asked_for() -> None:
    assert [word for word in continents() if asked_only(word)] == ["us-gov", "china"]


def test_a_machine_is_where_a_list_of_zones_has_it() -> None:
    found = places_of(machines()["p5.48xlarge"], PriceBook())
    assert found["eu-north-1"] == ("eun1-az1", "eun1-az2", "eun1-az3")
    assert found["us-gov-west-1"] == ()
    assert places_of(machines()["a3-ultragpu-8g"], PriceBook())["us-east5"] == ("us-east5-a",)


def test_without_a_list_of_zones_a_machine_is_where_it_has_a_price() -> None:
    book = PriceBook()
    found = places_of(machines()["Standard_ND96isr_H100_v5"], book)
    assert set(found.values()) == {()}
    assert {*found} == {
        row.region for row in book.rows("azure") if row.sku == "Standard_ND96isr_H100_v5" and not row.zone
    }
