"""What the end of a page says about its making."""

from __future__ import annotations

import datetime
import subprocess
from pathlib import Path

import pytest

from gpucluster.core.documents.document import Document
from gpucluster.core.documents.formats import written
from gpucluster.core.documents.html import origin_of
from gpucluster.core.documents.model import Versioned

DAY = datetime.date(2026, 11, 3)


def git(folder: Path, *words: str) -> str:
    author = ["-c", "user.name=Ada & Co", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *author, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_page_ends_with_its_day_stack_commit_and_author(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "spec.yaml").write_text("nodes: 4\n")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "Four nodes")
    commit = git(tmp_path, "rev-parse", "--short", "HEAD")
    made = [("Made on", "2026-11-03"), ("Stack", "dev"), ("Commit", commit), ("Author of the commit", "Ada & Co")]
    assert origin_of("dev", DAY, tmp_path) == made
    (tmp_path / "spec.yaml").write_text("nodes: 8\n")
    assert dict(origin_of("dev", DAY, tmp_path))["Commit"] == f"{commit}, with uncommitted changes"
    page = written(Document(title="Cost", sections=tuple, model=Versioned, origin=made), "html")
    assert "<dt>Author of the commit</dt><dd>Ada &amp; Co</dd>" in page


def test_without_git_a_page_says_its_day_and_stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert origin_of("", DAY, tmp_path) == [("Made on", "2026-11-03")]
    monkeypatch.setenv("PATH", "")
    assert origin_of("dev", DAY, tmp_path) == [("Made on", "2026-11-03"), ("Stack", "dev")]
