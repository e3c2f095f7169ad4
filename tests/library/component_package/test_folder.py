"""The folder by which programs name the package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.components.package.folder import write_folder
from gpucluster.errors import InputError

MAIN = "from gpucluster.components.package.provider import main\n\nmain()\n"


@pytest.mark.parametrize(
    ("environment", "named"),
    [(".venv", {"virtualenv": "../.venv"}), ("../elsewhere/env", {"virtualenv": "{}/elsewhere/env"}), (None, None)],
)
def test_the_package_folder_names_the_environment_of_the_project(
    tmp_path: Path, environment: str | None, named: dict[str, str] | None
) -> None:
    project = tmp_path / "project"
    write_folder(project / "package", None if environment is None else project / environment)
    runtime: dict[str, object] = {"name": "python"}
    if named is not None:
        runtime["options"] = {name: text.format(tmp_path) for name, text in named.items()}
    assert yaml.safe_load((project / "package/PulumiPlugin.yaml").read_text()) == {"runtime": runtime}
    assert (project / "package/__main__.py").read_text() == MAIN


def test_the_package_folder_is_written_anew_and_nothing_else_is_written_over(tmp_path: Path) -> None:
    for _ in range(2):
        assert write_folder(tmp_path / "ours", None) == [tmp_path / "ours" / name for name in FILES]
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/__main__.py").write_text("import pulumi\n")
    with pytest.raises(InputError) as refused:
        write_folder(tmp_path / "theirs", None)
    there = "__main__.py exists and was not written by this command; give another folder"
    assert str(refused.value) == f"{tmp_path}/theirs: 1 problem\n  {there}"
    assert [file.name for file in (tmp_path / "theirs").iterdir()] == ["__main__.py"]


FILES = ("PulumiPlugin.yaml", "__main__.py")


def test_the_command_says_what_to_write_into_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["package"])
    assert (done.exit_code, done.output) == (
        0,
        "Wrote gpucluster-package/PulumiPlugin.yaml and gpucluster-package/__main__.py.\n"
        "Add the folder to Pulumi.yaml:\npackages:\n  gpucluster: ./gpucluster-package\n",
    )
    assert f"virtualenv: {sys.prefix}\n" in Path("gpucluster-package/PulumiPlugin.yaml").read_text()
    Path("gpucluster-package/__main__.py").write_text("import pulumi\n")
    refused = CliRunner().invoke(main, ["package"])
    assert (refused.exit_code, refused.output.splitlines()[0]) == (2, "error: gpucluster-package: 1 problem")
