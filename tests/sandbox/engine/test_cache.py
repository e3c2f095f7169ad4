from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpucluster.sandbox.engine import find
from gpucluster.sandbox.engine.engine import Engine

PULUMI = """\
#!{python}
from pathlib import Path
with Path(__file__).with_suffix(".runs").open("a") as runs:
    runs.write("run\\n")
print("v3.259.0")
"""


def fill(folder: Path) -> None:
    """An engine that counts how often it is asked for its version."""
    binary = folder / "pulumi"
    binary.write_text(PULUMI.format(python=sys.executable))
    binary.chmod(0o755)
    (folder / "pulumi-language-python").write_text("a launcher\n")


@pytest.fixture
def installed(engine_folder: Path) -> Path:
    """The folder of an installed engine."""
    engine_folder.parent.mkdir(parents=True)
    find.install("built", fill)
    (engine_folder / "pulumi.runs").unlink()
    return engine_folder


def runs(folder: Path) -> int:
    """How often the engine was asked for its version."""
    log = folder / "pulumi.runs"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_an_empty_cache_has_no_engine(cache_folder: Path) -> None:
    assert not cache_folder.exists()
    assert find.cached_engine() is None


def test_an_installed_engine_is_found_and_verified_once(installed: Path) -> None:
    engine = Engine(installed / "pulumi", "3.259.0", "built", language_host=installed)
    assert [find.cached_engine(), find.cached_engine()] == [engine, engine]
    assert runs(installed) == 1


def test_a_released_engine_brings_its_own_language_host(engine_folder: Path) -> None:
    engine_folder.parent.mkdir(parents=True)
    find.install("release", fill)
    assert find.cached_engine() == Engine(engine_folder / "pulumi", "3.259.0", "release", language_host=None)


def test_a_touched_engine_is_verified_again(installed: Path) -> None:
    find.cached_engine()
    os.utime(installed / "pulumi")
    assert find.cached_engine() is not None
    assert runs(installed) == 2


def _truncate(folder: Path) -> None:
    (folder / "pulumi").write_text("#!/bin/sh\n")


def _alter_in_place(folder: Path) -> None:
    launcher = folder / "pulumi-language-python"
    status = launcher.stat()
    launcher.write_text("a_launcher\n")
    os.utime(launcher, ns=(status.st_atime_ns, status.st_mtime_ns))


def _remove_launcher(folder: Path) -> None:
    (folder / "pulumi-language-python").unlink()


def _empty_record(folder: Path) -> None:
    (folder / "engine.json").write_text("")


def _forget_sums(folder: Path) -> None:
    (folder / "engine.json").write_text("{}")


def _forget_origin(folder: Path) -> None:
    (folder / "engine.json").write_text('{"sha256": {}}')


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (_truncate, "pulumi differs from the installed file"),
        (_alter_in_place, "pulumi-language-python differs from the installed file"),
        (_remove_launcher, "pulumi-language-python is missing"),
        (_empty_record, "cannot read its record (Expecting value: line 1 column 1 (char 0))"),
        (_forget_sums, "cannot read its record ('sha256')"),
        (_forget_origin, "cannot read its record ('origin')"),
    ],
)
def test_a_broken_cache_is_noticed_also_after_it_was_verified(
    installed: Path, damage: Callable[[Path], None], reason: str
) -> None:
    find.cached_engine()
    damage(installed)
    with pytest.raises(find.BrokenCache) as caught:
        find.cached_engine()
    assert str(caught.value) == reason


def test_an_interrupted_installation_leaves_the_old_engine_and_nothing_else(installed: Path) -> None:
    def interrupted(folder: Path) -> None:
        (folder / "pulumi").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find.install("built", interrupted)
    assert [path.name for path in installed.parent.iterdir()] == [installed.name]
    assert find.cached_engine() is not None


def test_what_a_killed_installation_left_is_removed_by_the_next(installed: Path) -> None:
    left = installed.with_name(f".{installed.name}.0123")
    left.mkdir()
    (left / "pulumi").write_text("half")
    find.install("built", fill)
    assert [path.name for path in installed.parent.iterdir()] == [installed.name]


def test_an_engine_that_does_not_run_is_not_installed(engine_folder: Path) -> None:
    engine_folder.parent.mkdir(parents=True)

    def other_version(folder: Path) -> None:
        (folder / "pulumi").write_text("#!/bin/sh\necho v3.249.0\n")
        (folder / "pulumi").chmod(0o755)

    with pytest.raises(find.BrokenCache) as caught:
        find.install("built", other_version)
    assert str(caught.value) == 'its pulumi does not answer with its version, v3.259.0 (it said "v3.249.0")'
    assert list(engine_folder.parent.iterdir()) == []


def test_clearing_removes_engines_and_toolchains_and_says_whether_there_were_any(
    installed: Path, cache_folder: Path
) -> None:
    (cache_folder / "go" / "1.26.6").mkdir(parents=True)
    assert [find.clear(), find.clear()] == [True, False]
    assert [path for path in cache_folder.rglob("*") if path.is_file()] == []
    assert not installed.exists()


def test_without_a_chosen_cache_the_users_cache_folder_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(find.CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert find.cache_folder() == tmp_path / "gpucluster"
