"""A file instead of the folder of logs, also where a folder stands already."""

from pathlib import Path

from gpucluster.sandbox.engine.engine import keep_no_log


def test_a_file_takes_the_place_of_the_folder_of_logs_and_stays(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "logs"
    keep_no_log(folder)
    keep_no_log(folder)
    assert folder.read_text() == ""


def test_logs_of_an_older_release_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "pulumi-20261125T101010-7.log").touch()
    keep_no_log(folder)
    assert folder.is_file()
