"""Packages of Debian: from which archive, with which checksum, and what of them is unpacked."""

from __future__ import annotations

import hashlib
import http.server
import io
import tarfile
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from gpucluster.core.cache import CACHE_VARIABLE
from gpucluster.operate.rehearse.slurm import packages
from gpucluster.operate.rehearse.slurm.packages import MIRROR_VARIABLE, NoSlurm, Package, mirrors, unpack
from tests.says import Says


def package(files: dict[str, str]) -> bytes:
    """As dpkg writes one, with members of odd length before the files."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:xz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    members = {"debian-binary": b"2.0", "control.tar.xz": b"ignored", "data.tar.xz": content.getvalue()}
    archive = b"!<arch>\n"
    for name, data in members.items():
        archive += (
            f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
        )
    return archive


def test_programs_and_libraries_are_unpacked_and_nothing_else(tmp_path: Path) -> None:
    wanted = {"./usr/sbin/slurmd-wlm": "daemon", "./usr/lib/x86_64-linux-gnu/slurm-wlm/a.so": "plugin"}
    unpack(package({**wanted, "./etc/init.d/slurmd": "no", "./usr/share/doc/slurmd/copyright": "no"}), tmp_path)
    found = {f"./{file.relative_to(tmp_path)}": file.read_text() for file in tmp_path.rglob("*") if file.is_file()}
    assert found == wanted


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", b"!<arch>\n", package({"./usr/bin/../../../out": "x"}), package({})[:-50]],
    ids=["nothing", "a page", "no members", "a path outside", "half"],
)
def test_a_package_that_is_none_or_leads_outside_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(NoSlurm) as caught:
        unpack(content, tmp_path / "inside")
    assert str(caught.value) == Says("Debian", "unpacked")
    assert not [*tmp_path.rglob("out")]


def test_archives_are_those_of_apt_or_the_named_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text(
        "# deb http://old.example/debian x main\ndeb http://a.example/debian/ x main\n"
    )
    text = "Types: deb\nURIs: http://b.example/debian\n\nURIs: http://b.example/debian-security\n"
    (tmp_path / "sources.list.d" / "debian.sources").write_text(text)
    (tmp_path / "sources.list.d" / "off.disabled").write_text("deb http://c.example/debian x main\n")
    assert mirrors(tmp_path) == ["http://a.example/debian", "http://b.example/debian"]
    assert mirrors(tmp_path / "none") == []
    monkeypatch.setenv(MIRROR_VARIABLE, "http://mine.example/debian/")
    assert mirrors(tmp_path) == ["http://mine.example/debian"]


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """The folder of an archive on loopback, and an empty cache."""
    folder = tmp_path / "archive"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *rest: object) -> None:
            super().__init__(*rest, directory=str(folder))  # type: ignore[arg-type]

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv(MIRROR_VARIABLE, f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    yield folder
    server.shutdown()
    server.server_close()


def test_another_file_than_the_pinned_one_is_not_used(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (archive / "slurmctld.deb").write_bytes(package({"./usr/sbin/slurmctld-wlm": "other"}))
    pinned = Package(
        package="slurmctld", version="1", file="slurmctld.deb", bytes=1, sha256=hashlib.sha256(b"").hexdigest()
    )
    monkeypatch.setattr(packages, "packages", lambda: [pinned])
    with pytest.raises(NoSlurm) as caught:
        packages.find_programs(print)
    assert str(caught.value) == Says("slurmctld 1", MIRROR_VARIABLE, "WRONG CHECKSUM", pinned.sha256)
    assert not [*(tmp_path / "cache" / "slurm").glob("1-*/*")]


def test_a_file_that_the_archive_lacks_is_named(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = Package(package="slurmd", version="2", file="pool/slurmd.deb", bytes=1, sha256="0")
    monkeypatch.setattr(packages, "packages", lambda: [pinned])
    with pytest.raises(NoSlurm) as caught:
        packages.find_programs(print)
    assert str(caught.value) == Says("slurmd 2", MIRROR_VARIABLE, "slurmd.deb", "404")
    assert archive.exists()


def test_where_no_archive_is_known_it_is_said_how_to_name_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(packages, "mirrors", list[str])
    with pytest.raises(NoSlurm) as caught:
        packages.find_programs(print)
    assert str(caught.value) == Says("slurmctld", MIRROR_VARIABLE, "names no archive of Debian")
