"""What an init container brings a job besides libraries: NCCL's description of its machine."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gpucluster.components.kubernetes.jobs.fabric_libraries import fabric_libraries, topology_path
from gpucluster.core.catalog.fabrics import release_of
from gpucluster.core.catalog.machines import machines

A100 = release_of(machines()["p4d.24xlarge"])
XML = '<system version="1"/>\n'


@pytest.fixture
def copied(tmp_path: Path) -> Callable[..., tuple[int, str, str | None]]:
    """Runs the end of the script over an image with these files: its code, what it says, the file of the job."""

    def run(files: dict[str, str]) -> tuple[int, str, str | None]:
        release = replace(A100, topology_sha256=hashlib.sha256(XML.encode()).hexdigest())
        script = fabric_libraries("image:1", driver="efa", topology=release)["args"][0]
        script = script[script.index("found=$(find /opt") :].replace("/opt", str(tmp_path))
        (tmp_path / "fabric").mkdir()
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        done = subprocess.run(["/bin/sh", "-euc", script], capture_output=True, text=True, check=False)
        made = tmp_path / "fabric" / A100.topology
        return done.returncode, done.stderr, made.read_text() if made.exists() else None

    return run


AT = f"amazon/ofi-nccl/share/aws-ofi-nccl/xml/{A100.topology}"


def test_the_file_of_the_image_is_where_nccl_is_told_to_look(copied: Callable[..., tuple[int, str, str]]) -> None:
    assert copied({AT: XML}) == (0, "", XML)
    assert topology_path(A100) == f"/opt/fabric/{A100.topology}"


def test_an_image_without_the_file_ends_the_job_and_says_so(copied: Callable[..., tuple[int, str, str]]) -> None:
    code, said, made = copied({})
    assert (code, made) == (1, None)
    assert said == f"fabric: this image has no {A100.topology}\n"


def test_another_file_of_the_name_ends_the_job(copied: Callable[..., tuple[int, str, str]]) -> None:
    code, said, _ = copied({AT: "<system/>\n"})
    assert code != 0
    assert "did NOT match" in said


def test_a_machine_without_a_description_gets_libraries_alone() -> None:
    h100 = release_of(machines()["p5.48xlarge"])
    assert topology_path(h100) is None
    assert fabric_libraries("image:1", driver="efa", topology=h100) == fabric_libraries("image:1", driver="efa")
