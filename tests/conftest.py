"""What holds for every test."""

from __future__ import annotations

import os

import pytest

# Where this is set, as in many container images, every program that the tests start compiles the clouds' SDKs anew,
# which takes as long as all the rest of a preview.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

BUILT = frozenset({"tool", "browser", "expand"})
"""Fixtures that start programs which only tests need: built or fetched first, which `make test-all` does."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the tests of a module share, such as a stack that stands, is made once: those that use it run on one worker
    (`pytest -n 2 --dist loadgroup`).
    """
    for item in items:
        assert isinstance(item, pytest.Function)
        if not BUILT.isdisjoint(item.fixturenames):
            item.add_marker(pytest.mark.slow)
        shared = item._fixtureinfo.name2fixturedefs.values()
        if any(definition.scope == "module" for definitions in shared for definition in definitions):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
