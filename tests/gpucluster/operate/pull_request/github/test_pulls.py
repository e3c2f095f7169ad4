"""Which pull request a run belongs to."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.operate.pull_request.github import Origin, Pull, changed_files, find_pull
from tests.gpucluster.operate.pull_request.conftest import HEAD
from tests.gpucluster.operate.pull_request.github.conftest import GitHub

ORIGIN = Origin(repository="mallory/clusters", branch="nodes", commit=HEAD)


def pull(number: int = 7, repository: str | None = "mallory/clusters", sha: str = HEAD) -> dict[str, Any]:
    repo = None if repository is None else {"full_name": repository}
    head = {"sha": sha, "repo": repo, "label": "mallory:nodes"}
    return {"number": number, "head": head}


def test_the_pull_request_is_found_by_repository_branch_and_commit(github: GitHub) -> None:
    github.pulls = [pull(5, "mallory/other"), pull(6, sha="c" * 40), pull(7)]
    assert find_pull(github.api(), ORIGIN) == Pull(number=7)
    assert github.asked[0][1] == "/repos/acme/clusters/pulls?state=open&head=mallory%3Anodes&per_page=100"


@pytest.mark.parametrize(
    "there",
    [[], [pull(sha="c" * 40)], [pull(repository="mallory/other")], [pull(repository=None)]],
    ids=["closed", "moved on", "another repository", "a fork that is gone"],
)
def test_there_is_none_where_one_of_them_differs(github: GitHub, there: list[dict[str, Any]]) -> None:
    github.pulls = there
    assert find_pull(github.api(), ORIGIN) is None


def test_its_files_are_those_of_every_page_and_where_they_came_from(github: GitHub) -> None:
    github.page = 1
    github.files = [{"filename": "a.py"}, {"filename": "docs/b.py", "previous_filename": "policies/b.py"}]
    assert changed_files(github.api(), Pull(number=7)) == ["a.py", "docs/b.py", "policies/b.py"]
