"""A plugin of pytest: which test runs which line, what fails without any change, and how long each file takes."""

from __future__ import annotations

import functools
import gc
import json
import os
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest
from coverage import Coverage

AREA: Final = "MUTANTS_AREA"
DATA: Final = "MUTANTS_DATA"
"""Variables with the folder whose code is followed, and with the file that says what ran it."""
IMPORT: Final = "import"
"""The context of what runs before any test."""
_OURS: Final = ("gpucluster.", "tests.")
"""Modules whose caches belong to one file of tests: plans that tests share are made anew for the next."""


class _Probe:
    def __init__(self, area: str, data: Path) -> None:
        self.data = data
        self.failed: list[str] = []
        self.seconds: dict[str, float] = defaultdict(float)
        self.coverage = Coverage(data_file=str(data), include=[f"{area}/*"], config_file=False)
        self.coverage.set_option("run:relative_files", True)
        self.coverage.start()
        self.coverage.switch_context(IMPORT)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, bool, bool]:
        """What fixtures run belongs to the file: others of its tests use what they made."""
        file, began = item.nodeid.partition("::")[0], time.process_time()
        self.coverage.switch_context(file)
        try:
            return (yield)
        finally:
            self.seconds[file] += time.process_time() - began
            if nextitem is None or nextitem.path != item.path:
                _forget()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        self.coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.coverage.switch_context(item.nodeid.partition("::")[0])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        self.coverage.save()
        self.data.with_suffix(".json").write_text(json.dumps({"failed": self.failed, "seconds": self.seconds}))


def _forget() -> None:
    """The next file runs what this one has cached."""
    gc.unfreeze()  # tests/conftest.py hides from the collector what is there after collecting
    for found in gc.get_objects():
        if isinstance(found, functools._lru_cache_wrapper) and (found.__module__ or "").startswith(_OURS):
            found.cache_clear()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Probe(os.environ[AREA], Path(os.environ[DATA])))
