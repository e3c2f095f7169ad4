"""Location and settings of a stack on Azure, as its configuration has them."""

from __future__ import annotations

import pytest

from gpucluster.components.azure.location import Location, first_zone, parse_location
from gpucluster.components.azure.settings import Settings
from tests.components.told import told

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
GROUP = "00000000-0000-0000-0000-00000000000c"
PLACE = {"subscription": SUBSCRIPTION, "region": "eastus", "zone": "1"}


def test_a_place_with_nothing_chosen() -> None:
    found = parse_location(PLACE)
    assert found == Location(subscription=SUBSCRIPTION, region="eastus", number="1")
    assert isinstance(found, Location)
    assert (found.zone, found.settings) == ("eastus-1", Settings())


def test_everything_that_a_stack_may_choose() -> None:
    found = parse_location(
        {
            **PLACE,
            "scaleSetLimit": "300",
            "gpuDriver": "aks",
            "proximityGroup": "true",
            "infinibandFeature": "waived",
            "bucketGroup": "data",
            "lustrePrincipal": SUBSCRIPTION,
            "systemMachine": "Standard_D16ads_v5",
            "ubuntu": "24.04",
            "torsets": "true",
            "zone": "none",
            "lustreZone": "2",
        }
    )
    assert isinstance(found, Location)
    assert found.settings == Settings(
        scale_set_limit=300,
        driver="aks",
        proximity_group=True,
        infiniband_feature="waived",
        bucket_group="data",
        lustre_principal=SUBSCRIPTION,
        system_machine="Standard_D16ads_v5",
        ubuntu="24.04",
        torsets=True,
        lustre_zone="2",
    )
    assert (found.zone, found.zones, found.lustre_zone, first_zone("westus")) == ("eastus", None, "2", "none")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"subscription": "production"},
            "subscription is 'production'; write the id of a subscription, such as "
            "00000000-0000-0000-0000-000000000000 (`az account show --query id`)",
        ),
        ({"region": "us-east-1"}, "region is 'us-east-1'; write an Azure region such as eastus"),
        (
            {"region": "swedencentrl"},
            "region is 'swedencentrl'; write an Azure region such as eastus; did you mean swedencentral?",
        ),
        (
            {"region": "northcentralus"},
            "zone is '1', but northcentralus has no availability zones; write none",
        ),
        ({"zone": "eastus-1"}, "zone is 'eastus-1'; write the number of a zone, in quotes: 1, 2, 3; or none"),
        ({"lustreZone": "none"}, "lustreZone is 'none'; write the number of a zone, in quotes: 1, 2, 3"),
        (
            {"scaleSetLimit": "1000"},
            "scaleSetLimit is '1000'; write a whole number from 100, the default of a subscription, to 300, the most "
            "that Microsoft support sets",
        ),
        ({"gpuDriver": "operator"}, "gpuDriver is 'operator'; allowed: operators, aks; did you mean operators?"),
        ({"proximityGroup": "yes"}, "proximityGroup is 'yes'; allowed: true, false"),
        ({"torsets": "ib/torset"}, "torsets is 'ib/torset'; allowed: true, false"),
        (
            {"infinibandFeature": "true"},
            "infinibandFeature is 'true'; allowed: required (`up` checks that AKSInfinibandSupport is registered), "
            "waived; no command here registers it",
        ),
        (
            {"systemMachine": "Standard_B4ms"},
            "systemMachine is 'Standard_B4ms'; allowed: Standard_D4ds_v5, Standard_D8ds_v5, Standard_D16ds_v5, "
            "Standard_D4ads_v5, Standard_D8ads_v5, Standard_D16ads_v5, Standard_D4ds_v4, Standard_D8ds_v4, "
            "Standard_D16ds_v4; did you mean Standard_D4ds_v5?",
        ),
        ({"ubuntu": "24"}, "ubuntu is '24'; allowed: '22.04', '24.04', in quotes"),
        ({"bucketGroup": "a/b"}, "bucketGroup is 'a/b'; write the name of the storage account's resource group"),
        (
            {"lustrePrincipal": "HPC"},
            "lustrePrincipal is 'HPC'; write the object id of the service principal HPC Cache Resource Provider in "
            "your tenant, or granted if it has its roles in the storage account",
        ),
    ],
)
def test_a_wrong_value_is_said_with_what_to_write(changes: dict[str, str], problem: str) -> None:
    assert told(parse_location({**PLACE, **changes})) == [problem]


def test_all_problems_come_at_once_and_what_is_missing_is_left_to_others() -> None:
    found = parse_location({"region": "eastus", "zone": "4", "gpuDriver": "none"})
    assert told(found) == [
        "zone is '4'; write the number of a zone, in quotes: 1, 2, 3; or none",
        "gpuDriver is 'none'; allowed: operators, aks",
    ]
    assert parse_location({"region": "eastus"}) == []
