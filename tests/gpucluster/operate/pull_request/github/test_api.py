"""The client of GitHub's API: pages, limits and refusals."""

from __future__ import annotations

import pytest

from gpucluster.operate.pull_request.github import ApiError, Forbidden
from tests.gpucluster.operate.pull_request.github.conftest import GitHub, Refusal
from tests.says import Says

COMMENTS = "/issues/7/comments"


def test_every_page_of_a_list_is_read(github: GitHub) -> None:
    github.page = 2
    for number in range(5):
        github.comment(str(number))
    assert [one["body"] for one in github.api().pages(COMMENTS)] == ["0", "1", "2", "3", "4"]
    assert [path for _, path, _ in github.asked] == [
        f"/repos/acme/clusters{COMMENTS}?per_page=100",
        f"/repos/acme/clusters{COMMENTS}?page=2",
        f"/repos/acme/clusters{COMMENTS}?page=3",
    ]


def test_a_next_page_at_another_server_is_not_asked(github: GitHub) -> None:
    github.refusals.append(Refusal("GET", 200, [], {"link": '<http://127.0.0.1:1/x>; rel="next"'}))
    with pytest.raises(ApiError, match="the next page is at another server"):
        list(github.api().pages(COMMENTS))


@pytest.mark.parametrize(
    ("refusal", "waited"),
    [
        (Refusal("POST", 429, {"message": "slow down"}, {"retry-after": "7"}), [7.0]),
        (
            Refusal(
                "POST", 403, {"message": "API rate limit"}, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030"}
            ),
            [30.0],
        ),
        (Refusal("POST", 403, {"message": "You have exceeded a secondary rate limit"}), [60.0]),
        (Refusal("POST", 429, {}, {"retry-after": "2"}, times=3), [2.0, 2.0, 2.0]),
    ],
    ids=["retry-after", "reset", "secondary", "three times"],
)
def test_a_limit_is_waited_for_and_asked_again(github: GitHub, refusal: Refusal, waited: list[float]) -> None:
    github.refusals.append(refusal)
    github.api().post(COMMENTS, {"body": "text"})
    assert github.waited == waited
    assert [one["body"] for one in github.comments] == ["text"]


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal("POST", 429, {"message": "slow down"}, {"retry-after": "3600"}),
        Refusal("POST", 429, {"message": "slow down"}, {"retry-after": "1"}, times=9),
    ],
    ids=["too long", "too often"],
)
def test_a_limit_that_does_not_end_is_an_error(github: GitHub, refusal: Refusal) -> None:
    github.refusals.append(refusal)
    with pytest.raises(ApiError, match="429: slow down"):
        github.api().post(COMMENTS, {"body": "text"})
    assert github.comments == []


def test_a_token_that_may_not_is_told_what_it_needs(github: GitHub) -> None:
    github.refusals.append(Refusal("POST", 403, {"message": "Resource not accessible by integration"}))
    with pytest.raises(Forbidden) as caught:
        github.api().post(COMMENTS, {"body": "text"})
    assert str(caught.value) == Says("POST", "/repos/acme/clusters/issues/7/comments", "403", "not", "pull-requests")
    with pytest.raises(Forbidden, match="401: Bad credentials"):
        github.api("another").get("/pulls/7")


def test_what_github_does_not_take_is_said_in_its_words(github: GitHub) -> None:
    body = {"message": "Validation Failed", "errors": [{"message": "body is too long (maximum is 65536 characters)"}]}
    github.refusals.append(Refusal("POST", 422, body))
    with pytest.raises(ApiError, match=r"422: Validation Failed body is too long \(maximum is 65536 characters\)$"):
        github.api().post(COMMENTS, {"body": "text"})
    assert github.waited == []


def test_a_fault_is_asked_again_but_for_a_post_which_may_have_been_done(github: GitHub) -> None:
    github.refusals += [Refusal("GET", 502, b"<html>"), Refusal("POST", 502, b"<html>")]
    assert github.api().get("/pulls/7")["number"] == 7
    assert github.waited == [2.0]
    with pytest.raises(ApiError, match="502: no reason given"):
        github.api().post(COMMENTS, {"body": "text"})
    assert github.written() == [("POST", f"/repos/acme/clusters{COMMENTS}")]


def test_no_answer_at_all_is_an_error_without_an_address_book(github: GitHub) -> None:
    github.url = "http://127.0.0.1:1"
    with pytest.raises(ApiError, match=r"^GET /repos/acme/clusters/pulls/7: no answer \(ConnectionError\)$"):
        github.api().get("/pulls/7")
    assert github.waited == [2.0, 4.0, 8.0]


def test_a_redirect_is_not_followed(github: GitHub) -> None:
    github.refusals.append(Refusal("GET", 301, {"message": "Moved"}, {"location": "http://127.0.0.1:1/"}))
    with pytest.raises(ApiError, match="301: Moved"):
        github.api().get("/pulls/7")
