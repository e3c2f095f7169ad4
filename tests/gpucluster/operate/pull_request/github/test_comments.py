"""The one comment on a pull request."""

from __future__ import annotations

import pytest

from gpucluster.operate.pull_request.github import Marker, Pull, post
from tests.gpucluster.operate.pull_request.conftest import HEAD
from tests.gpucluster.operate.pull_request.github.conftest import BOT, GitHub, Refusal

PULL = Pull(number=7)
NEW = Marker(head=HEAD, run=20)
OLDER = "c" * 40


def posted(github: GitHub, text: str = "text", marker: Marker = NEW) -> str:
    return post(github.api(), PULL, text, marker, author=BOT["login"])


def test_the_first_one_is_made(github: GitHub) -> None:
    github.comment("looks good", {"login": "reviewer", "type": "User"})
    assert posted(github) == "created"
    assert github.comments[1]["body"] == f"text\n\n<!-- gpucluster pr-check head={HEAD} run=20.1 -->"


def test_the_next_one_changes_it_in_place_wherever_it_stands(github: GitHub) -> None:
    github.page = 2
    for number in range(5):
        github.comment(f"comment {number}", {"login": "reviewer", "type": "User"})
    ours = github.comment(f"old\n\n{Marker(head=OLDER, run=19)}")
    assert posted(github) == "updated"
    assert ours["body"] == f"text\n\n{NEW}"
    assert github.written() == [("PATCH", "/repos/acme/clusters/issues/comments/6")]


@pytest.mark.parametrize("head", [HEAD, OLDER], ids=["the same commit", "a commit before"])
def test_an_equal_one_is_not_written_again(github: GitHub, head: str) -> None:
    github.comment(f"text\r\n\r\n{Marker(head=head, run=19)}\r\n")
    assert posted(github) == "unchanged"
    assert github.written() == []


def test_a_run_of_an_older_commit_changes_nothing(github: GitHub) -> None:
    ours = github.comment(f"newest\n\n{NEW}")
    assert posted(github, marker=Marker(head=OLDER, run=21)) == "outdated"
    assert posted(github, marker=Marker(head=HEAD, run=19)) == "outdated"
    assert ours["body"] == f"newest\n\n{NEW}"
    assert github.written() == []


def test_an_older_commit_makes_no_first_comment_either(github: GitHub) -> None:
    assert posted(github, marker=Marker(head=OLDER, run=21)) == "outdated"
    assert github.written() == []


def test_the_same_run_again_is_newer_than_its_first_attempt(github: GitHub) -> None:
    github.comment(f"first\n\n{NEW}")
    assert posted(github, marker=Marker(head=HEAD, run=20, attempt=2)) == "updated"
    assert posted(github, "late", NEW) == "outdated"


def test_a_comment_of_others_with_our_marker_is_left_alone(github: GitHub) -> None:
    theirs = github.comment(f"mine\n\n{Marker(head=HEAD, run=99)}", {"login": "mallory", "type": "User"})
    assert posted(github) == "created"
    assert theirs["body"].startswith("mine")


def test_a_comment_of_ours_that_only_quotes_a_marker_is_another_one(github: GitHub) -> None:
    github.comment(f"{NEW}\n\nthis line comes after it")
    assert posted(github) == "created"


def test_a_comment_is_written_after_a_limit_and_once(github: GitHub) -> None:
    github.refusals.append(Refusal("POST", 429, {}, {"retry-after": "1"}))
    assert posted(github) == "created"
    assert len(github.comments) == 1
