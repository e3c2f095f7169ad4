"""Mutants are chosen by their code, and die by the tests that run it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.mutants.choose import AREAS, Mutant, chosen, shares
from tests.mutants.trial import Area, Tree

OVER = "def over(gib: int) -> bool:\n    return gib > 4\n"
NAMED = '''def named(gib: int = 8) -> str:
    """The 8 GiB of a node."""
    if gib:
        raise ValueError("8 GiB is too much")
    return "disk"
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree of two functions and a test."""
    root = tmp_path / "root"
    _write(root / "cost" / "disks.py", OVER + "\n\n" + NAMED)
    _write(root / "tests" / "cost" / "test_disks.py", _test("over(5) and not over(3)"))
    shutil.copytree(Path(__file__).parent, root / "tests" / "mutants", ignore=shutil.ignore_patterns("test_*", "__py*"))
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    return root


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _test(fact: str) -> str:
    return f"from cost.disks import over\n\n\ndef test_a_disk_is_over_four() -> None:\n    assert {fact}\n"


def _measured(root: Path, tmp_path: Path) -> tuple[Tree, Area]:
    tree = Tree(root, tmp_path / "copy", cache=tmp_path / "none")
    return tree, tree.measured("cost", "tests/cost", tmp_path / "kept")


def _mutant(root: Path, text: str) -> Mutant:
    """The first whose difference has a text."""
    return next(it for it in chosen(root, "cost", 99, seed=1) if text in it.diff)


def _diffs(root: Path, count: int = 99) -> dict[str, str]:
    return {mutant.key: mutant.diff for mutant in chosen(root, "cost", count, seed=1)}


def test_code_changes_and_texts_types_and_docstrings_do_not(root: Path) -> None:
    found = {tuple(line.strip("-+ ") for line in diff.splitlines()) for diff in _diffs(root).values()}
    changed = {before for before, *_ in found}
    assert ("return gib > 4", "return gib >= 4") in found
    assert ("return gib > 4", "return gib > 5") in found
    assert ("def named(gib: int = 8) -> str:", "def named(gib: int = 9) -> str:") in found
    assert 'return "disk"' in changed
    assert not any("node" in line or "import" in line for line in changed)
    assert not any("much" in before and "much" in after for before, after in found if "XX" in after)


def test_a_mutant_belongs_to_its_function_wherever_that_is(root: Path) -> None:
    before = _diffs(root)
    _write(root / "cost" / "deeper" / "named.py", "# Elsewhere.\n" + NAMED.replace("raise", "# Why.\n        raise"))
    _write(root / "cost" / "disks.py", OVER)
    assert _diffs(root) == before
    _write(root / "cost" / "disks.py", OVER.replace("4", "6"))
    kept = _diffs(root).keys() & before.keys()
    assert kept == {key for key, diff in before.items() if "return gib" not in diff}


def test_a_sample_has_of_each_operator_as_many_and_another_seed_has_others(root: Path) -> None:
    _write(root / "cost" / "many.py", "\n".join(f"A{n} = {n}" for n in range(50)) + "\nB = 1 if A1 > 2 else 3\n")
    few = _diffs(root, 10)
    assert sum("return gib > 4" in diff or "if A1" in diff for diff in few.values()) >= 3
    assert {mutant.key for mutant in chosen(root, "cost", 10, seed=2)} != few.keys()
    assert {mutant.key for mutant in chosen(root, "cost", 999, seed=1, never=few)} == _diffs(
        root, 999
    ).keys() - few.keys()


def test_areas_share_by_their_lines() -> None:
    found = shares(Path(__file__).parents[2], 300)
    assert set(found) == set(AREAS)
    assert min(found.values()) > 25
    assert abs(sum(found.values()) - 300) <= 2


@pytest.mark.parametrize(("fact", "survives"), [("over(5) and not over(3)", True), ("over(5) and not over(4)", False)])
def test_an_edge_survives_until_a_test_has_it(root: Path, tmp_path: Path, fact: str, survives: bool) -> None:
    _write(root / "tests" / "cost" / "test_disks.py", _test(fact))
    tree, area = _measured(root, tmp_path)
    edge = _mutant(root, ">=")
    assert list(area.stages(edge)) == [
        ["tests/cost/test_disks.py::test_a_disk_is_over_four"],
        ["tests/cost/test_disks.py"],
    ]
    assert tree.survives(edge, area) is survives
    assert (root / "cost" / "disks.py").read_text() == (tree.folder / "cost" / "disks.py").read_text()


def test_what_fails_without_a_change_kills_nothing(root: Path, tmp_path: Path) -> None:
    _write(
        root / "tests" / "cost" / "test_broken.py",
        "from cost.disks import over\n\n\ndef test_no() -> None:\n    assert over(1)\n",
    )
    tree, area = _measured(root, tmp_path)
    assert area.failed == ["tests/cost/test_broken.py::test_no"]
    edge = _mutant(root, ">=")
    assert tree.survives(edge, area)


def test_a_default_dies_by_a_test_of_its_folder_that_runs_nothing_of_the_file(root: Path, tmp_path: Path) -> None:
    _write(
        root / "tests" / "cost" / "test_defaults.py",
        "from cost.disks import named\n\n\ndef test_it() -> None:\n    assert named.__defaults__ == (8,)\n",
    )
    tree, area = _measured(root, tmp_path)
    default = _mutant(root, "gib: int = 9")
    assert not tree.survives(default, area)


def test_what_tests_share_counts_for_each_of_their_files(root: Path, tmp_path: Path) -> None:
    shared = "\n\n@functools.cache\ndef big() -> bool:\n    return over(5)\n"
    _write(root / "tests" / "shared.py", f"import functools\n\nfrom cost.disks import over\n{shared}")
    # As the project's own: what is collected is hidden from the garbage collector.
    _write(root / "tests" / "conftest.py", "import gc\n\n\ndef pytest_collection_finish() -> None:\n    gc.freeze()\n")
    (root / "tests" / "cost" / "test_disks.py").unlink()
    files = ["tests/cost/test_one.py", "tests/cost/test_two.py"]
    for file in files:
        _write(root / file, "from tests.shared import big\n\n\ndef test_it() -> None:\n    assert big()\n")
    _, area = _measured(root, tmp_path)
    edge = _mutant(root, ">=")
    assert list(area.stages(edge))[-1] == files
