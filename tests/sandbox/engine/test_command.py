from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.cli import main

ENGINE = ["sandbox", "engine"]


@pytest.mark.usefixtures("go")
def test_the_engine_in_use_is_shown(cache_folder: Path, engine_folder: Path) -> None:
    result = CliRunner().invoke(main, [*ENGINE, "--format", "json"])
    assert (result.exit_code, json.loads(result.stdout)) == (
        0,
        {
            "version": "3.259.0",
            "accepted": "at least 3.250.0 and below 4.0.0",
            "origin": "built",
            "binary": str(engine_folder / "pulumi"),
            "language_host": str(engine_folder / "pulumi-language-python"),
            "cache": str(cache_folder),
        },
    )


@pytest.mark.usefixtures("go")
def test_for_a_person_it_is_a_table(cache_folder: Path, engine_folder: Path) -> None:
    assert CliRunner().invoke(main, ENGINE).stdout == (
        "version       3.259.0\n"
        "accepted      at least 3.250.0 and below 4.0.0\n"
        "origin        built from its Go module\n"
        f"binary        {engine_folder / 'pulumi'}\n"
        f"language host {engine_folder / 'pulumi-language-python'}\n"
        f"cache         {cache_folder}\n"
    )


@pytest.mark.usefixtures("go")
def test_clearing_empties_the_cache_and_prints_no_data(cache_folder: Path, engine_folder: Path) -> None:
    CliRunner().invoke(main, [*ENGINE, "--build"])
    assert engine_folder.exists()
    results = [CliRunner().invoke(main, [*ENGINE, "--clear"]) for _ in range(2)]
    assert [(result.exit_code, result.stdout, result.stderr) for result in results] == [
        (0, "", f"Emptied {cache_folder}\n"),
        (0, "", f"Nothing was in {cache_folder}\n"),
    ]
    assert not engine_folder.exists()


def test_building_and_clearing_at_once_is_the_users_mistake() -> None:
    assert CliRunner().invoke(main, [*ENGINE, "--build", "--clear"]).exit_code == 2


@pytest.mark.usefixtures("bin_folder", "cache_folder", "no_pip")
def test_without_any_engine_the_exit_code_is_3_and_the_advice_is_on_stderr() -> None:
    result = CliRunner().invoke(main, ENGINE)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "Install one of these and run the command again:" in result.stderr
