"""Questions of one kind are asked together."""

from __future__ import annotations

import threading

import pytest

from gpucluster.operate.clients.gcp.client import each


def test_all_are_asked_before_one_is_answered_and_keep_their_order() -> None:
    together = threading.Barrier(8, timeout=60)

    def ask(item: int) -> str:
        together.wait()
        return str(item)

    assert each(ask, range(8)) == [str(item) for item in range(8)]


def test_nothing_is_asked_for_nothing() -> None:
    assert each(str, ()) == []


def test_the_first_failure_is_raised() -> None:
    def ask(item: int) -> int:
        if item:
            raise ValueError(item)
        return item

    with pytest.raises(ValueError, match=r"^1$"):
        each(ask, (0, 1, 2))
