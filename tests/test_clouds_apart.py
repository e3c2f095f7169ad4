"""A cloud is its own folders and rows of tables: files that name all three clouds are few, and each has a reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.test_layers import BELOW, ROOT

FOLDERS: Final = {*BELOW, "tools"}

_SOURCES: Final = "its sources or docstring name them, its code none"
_DATA_OF_EACH: Final = "a fact of each cloud, which a new cloud adds its own to"
_OUR_STACKS: Final = "works on the stacks and specs of this repository, one a cloud"

NAMED: Final[Mapping[str, str]] = {
    "gpucluster/operate/acceptance/verdicts/topology.py": _DATA_OF_EACH,
    "gpucluster/operate/versions/upgrade.py": _DATA_OF_EACH,
    "gpucluster/operate/versions/running_versions.py": _DATA_OF_EACH,
    "tools/benchmarks/clouds.py": _DATA_OF_EACH,
    "tools/benchmarks/commands.py": _OUR_STACKS,
    "components/resources/label_transformation.py": _DATA_OF_EACH,
    "components/planning/labels.py": _DATA_OF_EACH,
    "components/cluster/versions.py": _DATA_OF_EACH,
    "cost/comparison/carbon.py": _SOURCES,
    "cost/prices/bounds.py": "the largest discounts that each cloud states, with their sources",
    "gpucluster/core/catalog/gpu_names.py": _DATA_OF_EACH,
    "gpucluster/core/program/inventory.py": _DATA_OF_EACH,
    "cost/commands/prices.py": "which providers have a live price list; a cloud without one is not refreshed",
    "cost/estimate/labels.py": _SOURCES,
    "cost/purchasing/purchase_options.py": _DATA_OF_EACH,
    "cost/pricing/inputs.py": "free types whose inputs describe the machines of others",
    "cost/pricing/plan_prices.py": _DATA_OF_EACH,
    "cost/prices/live/__init__.py": _SOURCES,
    "cost/prices/live/refresh.py": "which providers have a live price list; a cloud without one is not refreshed",
    "cost/prices/live/sources.py": "the protocol of each live price list",
    "cost/prices/row.py": _SOURCES,
    "gpucluster/__init__.py": _SOURCES,
    "gpucluster/operate/judges/verdicts.py": _DATA_OF_EACH,
    "gpucluster/operate/judges/command.py": "its help says what each judge knows",
    "policies/clouds/file_systems.py": _DATA_OF_EACH,
    "policies/engine/examples.py": "the region that examples of a rule are in",
    "policies/rules/storage_in_pool_zone.py": _DATA_OF_EACH,
    "sandbox/clouds/events/quotas.py": _DATA_OF_EACH,
    "sandbox/clouds/kubernetes/objects.py": _DATA_OF_EACH,
    "sandbox/clouds/kubernetes/controllers.py": "Karpenter's schema: which label domains of its clouds are closed",
    "sandbox/live/karpenter/__init__.py": _DATA_OF_EACH,
    "tools/pages/mistakes.py": _OUR_STACKS,
    "tools/pages/pull_request.py": _OUR_STACKS,
}
"""File -> why it names them. A file that no longer does leaves the list."""


def names_every_cloud(text: str) -> bool:
    return all(re.search(rf"(?<![a-z]){name}(?![a-z])", text, re.IGNORECASE) for name in ("aws", "gcp", "azure"))


def has_a_check_of_each(text: str) -> bool:
    """Whether it is a rule whose clouds are functions in its file."""
    return "=CloudCheck(" in text


def shipped() -> list[Path]:
    return [file for folder in sorted(FOLDERS) for file in sorted((ROOT / folder).rglob("*.py"))]


def test_only_files_with_a_reason_name_all_clouds() -> None:
    texts = {str(file.relative_to(ROOT)): file.read_text() for file in shipped()}
    found = {file for file, text in texts.items() if names_every_cloud(text) and not has_a_check_of_each(text)}
    assert found == {*NAMED}


def test_a_token_and_a_title_name_a_cloud_and_a_longer_word_does_not() -> None:
    assert names_every_cloud('("AWS", "gcp:compute", "azure-native")')
    assert not names_every_cloud("laws, gcps and azure")
