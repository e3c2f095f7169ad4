"""A text is compared by its facts."""

from __future__ import annotations

import pytest

from tests.says import Says

TEXT = "training.nodes is 10; write 1 to 4,096, at $1.50 (max_nodes: 'two')"


@pytest.mark.parametrize(
    ("facts", "equal"),
    [
        (("training.nodes", "10", "4,096"), True),
        (("10", "training.nodes"), False),  # in this order
        (("max_nodes", "two"), True),
        (("nodes", "two"), True),  # of training.nodes
        (("nodes", "nodes", "two"), False),  # and not of max_nodes
        (("1",), True),
        (("1", "1"), False),  # neither of 10 nor of $1.50
        (("4",), False),
        (("$1.5",), False),
        (("$1.50",), True),
        (("11",), False),
    ],
)
def test_facts_are_whole_and_in_order(facts: tuple[str, ...], equal: bool) -> None:
    text, says = TEXT, Says(*facts)
    assert (says == text, text == says, text != says) == (equal, equal, not equal)
    assert ([("a", text)] == [("a", says)]) is equal
    assert says != 10
