"""What a component states is what is read back from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from gpucluster.core.program.facts import Budget, Facts, Slices, StorageRequest
from gpucluster.core.program.registered_facts import ComponentFacts, read_registered_facts
from gpucluster.core.program.resources import UNKNOWN, Resources
from tests.gpucluster.core.program.fixtures import MakeResource
from tests.says import Says

ALL = Facts(
    required_labels={"team": "research"},
    budget=Budget(Decimal("250000.50"), "fail"),
    exemptions=[{"rule": "versions-pinned", "resource": "*", "reason": "r", "owner": "o", "until": "2026-12-31"}],
    duration_days=Decimal("14.5"),
    begun=datetime(2026, 11, 23, 14, 7, 45, tzinfo=UTC),
    training_gpus=Decimal(32),
    spare_gpus=Decimal(8),
    outside_training=("trial-mig",),
    slices={"trial-mig": (Slices(size="1g.10gb", count=Decimal(56), eighths=Decimal(1)),)},
    rolls=("trial-training",),
    paused=True,
    not_built=("home folders",),
    losses=("a fabric of 3,200 Gb/s",),
    notes=("quota",),
    equivalence={"machineType": "p5.48xlarge"},
    storage_asked=StorageRequest(usable_tib=Decimal(20), gb_per_s=Decimal("2.5"), headroom=Decimal("1.25")),
    scale_set_limit=100,
    what_if=("nodes 8 instead of 4",),
)


@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_registered_facts_are_read_back(make: MakeResource, side: str) -> None:
    registered = ALL.registered()
    given = registered if side == "inputs" else {"outputs": registered}
    component = make("x:y:Cluster", "trial", custom=False, **given)
    assert list(read_registered_facts(Resources([component]))) == [
        ComponentFacts(component=component, facts=ALL, names=frozenset(registered), unread=())
    ]


def test_what_is_not_stated_is_not_registered_but_for_empty_lists() -> None:
    empty = {"exemptions": [], "outsideTraining": [], "notBuilt": [], "losses": [], "notes": []}
    assert Facts().registered() == empty


def test_who_registers_a_fact_knows_it() -> None:
    with pytest.raises(ValueError, match="has to be known"):
        replace(ALL, training_gpus=UNKNOWN).registered()


def test_resources_and_components_without_facts_state_nothing(make: MakeResource) -> None:
    of_a_cloud = make("aws:kms/key:Key", "key", trainingGpus=8)
    silent = make("x:y:Network", "network", custom=False, vpcId="vpc-1", losses=None)
    assert list(read_registered_facts(Resources([of_a_cloud, silent]))) == []


def test_what_is_not_known_yet_or_of_another_shape_is_named(make: MakeResource) -> None:
    component = make(
        "x:y:Cluster", "a", custom=False,
        requiredLabels=UNKNOWN, spareGpus=UNKNOWN, losses=[UNKNOWN], storageAsked={"usableTib": -1}, scaleSetLimit="x",
        begun="yesterday",
    )  # fmt: skip
    (found,) = read_registered_facts(Resources([component]))
    assert found.facts == Facts(required_labels=UNKNOWN, exemptions=[], spare_gpus=UNKNOWN)
    assert found.unread == (
        ("spareGpus", Says("spareGpus", "not", "before", "update")),
        ("begun", Says("yesterday", "2026-11-23T14:07:45+00:00")),
        ("losses", Says("not", "before", "update")),
        ("storageAsked", Says("storageAsked", "cannot", "usableTib", "-1", "0", "more")),
    )
