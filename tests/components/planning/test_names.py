"""The names every cluster shares are written down once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpucluster.components.planning import names

COMPONENTS = Path(__file__).parents[3] / "components"
KEYS = (
    names.POOL,
    names.GPU,
    names.MIG_SLICE,
    names.GPU_PRESENT,
    names.EFA_PRESENT,
    names.EXPECTED_GPUS,
    names.EXPECTED_GIB,
)
POOLS = (names.SYSTEM_POOL, names.TRAINING_POOL, names.MIG_POOL, names.ELASTIC)
NAMESPACES = (names.NAMESPACE, names.SYSTEM_NAMESPACE)


def texts(path: Path, *, keys: bool) -> Iterator[str]:
    """The text literals of a module. keys: also those that are the key of a dictionary."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    left_out = {id(key) for node in nodes if isinstance(node, ast.Dict) and not keys for key in node.keys}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.value


def modules(name: str, *, keys: bool) -> list[str]:
    paths = COMPONENTS.rglob("*.py")
    return [str(path.relative_to(COMPONENTS)) for path in paths if name in texts(path, keys=keys)]


@pytest.mark.parametrize("name", sorted({*KEYS, *NAMESPACES}))
def test_a_shared_key_is_a_literal_of_one_module_only(name: str) -> None:
    assert modules(name, keys=True) == ["planning/names.py"]


@pytest.mark.parametrize("name", POOLS)
def test_the_name_of_a_pool_is_a_value_in_one_module_only(name: str) -> None:
    # As a key the same word means something else, such as the `mig` of a chart's values.
    assert modules(name, keys=False) == ["planning/names.py"]


def test_pools_have_names_that_every_cloud_takes() -> None:
    # Up to 12 lower-case letters and digits: AKS is the narrowest.
    assert [pool for pool in POOLS if not (pool.isalnum() and pool.islower() and len(pool) <= 12)] == []


def test_the_gpu_toleration_is_for_the_gpu_taint_whatever_its_value() -> None:
    assert names.GPU_TOLERATION == {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
