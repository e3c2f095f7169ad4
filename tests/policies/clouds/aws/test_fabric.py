"""The fabric table agrees with itself and with the machines the components declare."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import gpucluster.components
from gpucluster.policies.clouds.aws.fabric import FABRIC
from gpucluster.policies.clouds.aws.interfaces import network_cards

SHAPES = Path(gpucluster.components.__file__).with_name("shapes.csv")


@pytest.mark.parametrize("machine", FABRIC)
def test_fabric_cards_are_cards_of_the_machine(machine):
    fabric = FABRIC[machine]
    assert set(fabric.efa_cards) <= set(range(fabric.cards))
    assert len(set(fabric.efa_cards)) == len(fabric.efa_cards)
    # A card with EFA holds one interface for it; card 0 has the IP interface beside it.
    assert fabric.interfaces_per_card >= 2


def test_the_components_know_the_same_cards():
    with SHAPES.open(encoding="utf-8", newline="") as file:
        shapes = {row["machine_type"]: row for row in csv.DictReader(file) if row["cloud"] == "aws"}
    assert shapes
    assert {name: (int(row["network_cards"]), int(row["gpus"])) for name, row in shapes.items()} == {
        name: (FABRIC[name].cards, FABRIC[name].gpus) for name in shapes
    }


@pytest.mark.parametrize(
    ("cards", "words"), [([7], "card 7"), ([1, 2, 3], "cards 1-3"), ([9, 1, 2], "cards 1-2, 9"), ([4, 6], "cards 4, 6")]
)
def test_cards_are_told_in_runs(cards, words):
    assert network_cards(cards) == words
