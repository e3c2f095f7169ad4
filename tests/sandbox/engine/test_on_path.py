from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpucluster.sandbox.engine.engine import Engine
from gpucluster.sandbox.engine.find import engine_on_path

Write = Callable[[str, str], Path]
ELSEWHERE = Path("/nonexistent/cache")


def test_a_fitting_pulumi_with_its_language_host_is_used(write_command: Write, said: list[str]) -> None:
    binary = write_command("pulumi", 'print("v3.260.1")')
    write_command("pulumi-language-python", "")
    assert engine_on_path(said.append, ELSEWHERE) == Engine(binary, "3.260.1", "PATH", language_host=None)
    assert said == []


def test_a_language_host_beside_the_real_file_of_a_linked_pulumi_is_found(
    tmp_path: Path, bin_folder: Path, write_command: Write, said: list[str]
) -> None:
    installed = tmp_path / "installed"
    installed.mkdir()
    for name, body in {"pulumi": 'print("v3.260.1")', "pulumi-language-python": ""}.items():
        write_command(name, body).rename(installed / name)
    link = bin_folder / "pulumi"
    link.symlink_to(installed / "pulumi")
    assert engine_on_path(said.append, ELSEWHERE) == Engine(link, "3.260.1", "PATH", language_host=None)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('print("v3.249.0")', "is version 3.249.0; at least 3.250.0 and below 4.0.0 is required"),
        ('print("v4.0.0")', "is version 4.0.0; at least 3.250.0 and below 4.0.0 is required"),
        ('print("v3.259.0")', "has no pulumi-language-python beside it or on PATH"),
        ('print("hello")', 'does not print its version (it said "hello")'),
        ('sys.exit("libfoo is missing\\nand more")', 'does not print its version (it said "libfoo is missing")'),
    ],
)
def test_a_pulumi_that_does_not_fit_is_refused_in_one_line(
    write_command: Write, said: list[str], body: str, reason: str
) -> None:
    binary = write_command("pulumi", body)
    assert engine_on_path(said.append, ELSEWHERE) is None
    assert said == [f"pulumi on PATH ({binary}) is not used: it {reason}."]


@pytest.mark.usefixtures("bin_folder")
def test_no_pulumi_on_path_needs_no_line(said: list[str]) -> None:
    assert engine_on_path(said.append, ELSEWHERE) is None
    assert said == []


def test_a_pulumi_of_our_own_cache_is_passed_over_in_silence(
    bin_folder: Path, write_command: Write, said: list[str]
) -> None:
    write_command("pulumi", 'print("v3.259.0")')
    assert engine_on_path(said.append, not_below=bin_folder) is None
    assert said == []
