"""The names every cluster shares are written down once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from components.kubernetes import names

COMPONENTS = Path(__file__).parents[3] / "components"
KEYS = (names.POOL, names.GPU, names.GPU_PRESENT, names.EFA_PRESENT, names.EXPECTED_GPUS, names.EXPECTED_GIB)
POOLS = (names.SYSTEM_POOL, names.TRAINING_POOL, names.ELASTIC_POOL, names.MIG_POOL)
NAMESPACES = (names.NAMESPACE, names.SYSTEM_NAMESPACE)


def texts(path: Path) -> Iterator[str]:
    """The text literals of a module, parts of f-strings and docstrings included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.parametrize("name", sorted({*KEYS, *POOLS, *NAMESPACES}))
def test_a_shared_name_is_a_literal_of_one_module_only(name: str) -> None:
    found = [str(path.relative_to(COMPONENTS)) for path in COMPONENTS.rglob("*.py") if name in texts(path)]
    assert found == ["kubernetes/names.py"]


def test_pools_have_names_that_every_cloud_takes() -> None:
    # Up to 12 lower-case letters and digits: AKS is the narrowest.
    assert [pool for pool in POOLS if not (pool.isalnum() and pool.islower() and len(pool) <= 12)] == []


def test_the_gpu_toleration_is_for_the_gpu_taint_whatever_its_value() -> None:
    assert names.GPU_TOLERATION == {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
