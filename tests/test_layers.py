"""Imports go one way: between the folders of the repository as listed here, and inside of each without a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath
from typing import Final

import pytest

from gpucluster.checkout import folders

ROOT = Path(__file__).parents[1]

_CORE: Final = frozenset({"gpucluster/core"})

BELOW: Final[Mapping[str, frozenset[str]]] = {
    "gpucluster/core": frozenset(),
    "sandbox": _CORE,
    "cost": _CORE,
    "policies": _CORE | {"cost"},
    "components": _CORE | {"cost"},
    "gpucluster/operate/quote": _CORE | {"cost", "components"},
    "gpucluster/operate/spec": _CORE | {"cost", "components", "gpucluster/operate/quote"},
    "gpucluster/operate/acceptance": _CORE | {"cost", "components"},
    "gpucluster/operate/jobs": _CORE
    | {
        "cost",
        "components",
        "sandbox",
        "gpucluster/operate/account",
        "gpucluster/operate/acceptance",
        "gpucluster/operate/rehearse",
    },
    "gpucluster/operate/judges": _CORE | {"sandbox"},
    "gpucluster/operate/rehearse": _CORE | {"cost", "components", "sandbox"},
    "gpucluster/operate/pull_request": _CORE
    | {"cost", "policies", "sandbox", "gpucluster/operate/judges", "gpucluster/operate/rehearse"},
    "gpucluster/operate/clients": _CORE | {"components"},
    "gpucluster/operate/account": _CORE | {"cost", "components", "sandbox", "gpucluster/operate/clients"},
    "gpucluster/operate/preflight": _CORE
    | {
        "cost",
        "components",
        "sandbox",
        "gpucluster/operate/account",
        "gpucluster/operate/clients",
        "gpucluster/operate/quote",
    },
    "gpucluster/operate/up": _CORE
    | {
        "cost",
        "components",
        "gpucluster/operate/account",
        "gpucluster/operate/preflight",
        "gpucluster/operate/quote",
    },
    "gpucluster/operate/versions": _CORE | {"cost", "components", "gpucluster/operate/account"},
    "stacks": frozenset({"cost", "components", "gpucluster"}),
    "gpucluster": _CORE
    | {
        "sandbox",
        "cost",
        "policies",
        "components",
        "gpucluster/operate/account",
        "gpucluster/operate/acceptance",
        "gpucluster/operate/clients",
        "gpucluster/operate/jobs",
        "gpucluster/operate/judges",
        "gpucluster/operate/preflight",
        "gpucluster/operate/pull_request",
        "gpucluster/operate/quote",
        "gpucluster/operate/rehearse",
        "gpucluster/operate/spec",
        "gpucluster/operate/up",
        "gpucluster/operate/versions",
    },
}
"""Room -> those that it may import. The longest name that fits a path is its room: `gpucluster` has what users import.

Cost and policies know no component, the sandbox knows the tables alone.
"""

EVERYWHERE: Final = frozenset(
    {
        "gpucluster/checkout.py",
        "gpucluster/core/cache.py",
        "gpucluster/core/environment.py",
        "gpucluster/core/light_import.py",
        "gpucluster/errors.py",
        "gpucluster/options.py",
    }
)
"""What every file may import, and which imports nothing of ours: the cache, the package of a checkout, errors, extras,
complete environments, what all commands take.
"""

EXCEPT: Final[set[tuple[str, str]]] = set()
"""(file, file that it imports) against these directions."""

_BY_NAME: Final = re.compile(r"(gpucluster(?:\.\w+)+)(?::\w+)?")
"""A module that is imported by its name, as text: by `import_module`, or by a command that loads what it needs."""


def room_of(path: str) -> str:
    """The longest room that has the file; its first folder if none has."""
    above = [str(one) for one in PurePosixPath(path).parents]
    return next((one for one in above if one in BELOW), path.split("/")[0])


def files(root: Path) -> dict[str, str]:
    """Name of a module -> its file, from `root` on, for all that we ship."""
    found: dict[str, str] = {}
    for path in sorted(root.rglob("*.py")):
        folder, *below = path.relative_to(root).with_suffix("").parts
        if folder in BELOW:
            name = ".".join([*([] if folder == "gpucluster" else ["gpucluster"]), folder, *below])
            found[name.removesuffix(".__init__")] = str(path.relative_to(root))
    return found


def imported(tree: ast.AST) -> Iterator[tuple[str, ...]]:
    """What a file imports wherever it does: late, for the type checker alone, or as text. A name of a module may be a
    module itself: both are told, that first."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), level=0):
                yield from ((f"{module}.{alias.name}", module) for alias in node.names)
            case ast.ImportFrom():
                raise AssertionError(f"line {node.lineno}: a relative import; write the full name")
            case ast.Import():
                yield from ((alias.name,) for alias in node.names)
            case ast.Constant(value=str(text)) if by_name := _BY_NAME.fullmatch(text):
                yield (by_name[1],)
            case _:
                pass


def arrows(root: Path) -> set[tuple[str, str]]:
    """(file that imports, file that it imports)."""
    modules = files(root)
    found: set[tuple[str, str]] = set()
    for file in modules.values():
        for names in imported(ast.parse((root / file).read_text())):
            target = next((modules[name] for name in names if name in modules), file)
            if target != file and target not in EVERYWHERE:
                found.add((file, target))
    return found


def circles(found: set[tuple[str, str]]) -> dict[str, list[str]]:
    """Folder -> a circle among the files and folders that lie side by side in it."""
    beside: dict[str, dict[str, set[str]]] = {}
    for source, target in found:
        above, ours, theirs = _apart(source, target)
        beside.setdefault(above, {}).setdefault(ours, set()).add(theirs)
    circular: dict[str, list[str]] = {}
    for folder, graph in beside.items():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            circular[folder] = error.args[1][::-1]
    return circular


def _apart(source: str, target: str) -> tuple[str, str, str]:
    """The folder that two files have in common, and what each of them is or lies in there; a room is one folder."""
    one, other = ([room := room_of(path), *path.removeprefix(f"{room}/").split("/")] for path in (source, target))
    common = next(i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return "/".join(one[:common]), one[common], other[common]


@pytest.fixture(scope="module")
def ours() -> set[tuple[str, str]]:
    return arrows(ROOT)


def test_folders_import_only_those_below_them(ours: set[tuple[str, str]]) -> None:
    upward = {
        (source, target)
        for source, target in ours
        if (room := room_of(target)) != room_of(source) and room not in BELOW[room_of(source)]
    }
    assert upward == EXCEPT


def test_no_files_and_no_folders_import_each_other_in_a_circle(ours: set[tuple[str, str]]) -> None:
    assert circles(ours - EXCEPT) == {}


def test_what_every_file_may_import_imports_nothing_of_ours(ours: set[tuple[str, str]]) -> None:
    assert [arrow for arrow in ours if arrow[0] in EVERYWHERE] == []


def test_every_packaged_folder_has_its_place() -> None:
    assert set(folders(ROOT).values()) <= set(BELOW)


LATE = "def later():\n    from gpucluster.cost import a\n"
CHECKED = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from gpucluster.cost.a import A\n"
TEXT = 'import_module("gpucluster.cost.a:main")\n'


@pytest.mark.parametrize("back", [LATE, CHECKED, TEXT], ids=["late", "for the type checker", "as text"])
def test_a_circle_is_found_however_it_imports(tmp_path: Path, back: str) -> None:
    for file, text in {
        "cost/__init__.py": "",
        "cost/a.py": "from gpucluster.cost.rooms.b import B\n",
        "cost/rooms/b.py": "import gpucluster.cost.c\n",
        "cost/c.py": back,
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    (circle,) = circles(arrows(tmp_path)).values()
    assert {*circle} == {"a.py", "rooms", "c.py"}
