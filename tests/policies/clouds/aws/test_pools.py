"""Network cards in words."""

from __future__ import annotations

import pytest

from gpucluster.policies.clouds.aws.pools import network_cards


@pytest.mark.parametrize(
    ("cards", "words"), [([7], "card 7"), ([1, 2, 3], "cards 1-3"), ([9, 1, 2], "cards 1-2, 9"), ([4, 6], "cards 4, 6")]
)
def test_cards_are_told_in_runs(cards, words):
    assert network_cards(cards) == words
