"""Every question gets one answer, whatever its account does."""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import Account, Answer, Verdict, fine, refused
from gpucluster.operate.preflight.asking import ask, not_asked

QUOTA = Question(about="quota", subject="L-417A185B", needed=960, unit="vCPUs")
OFFER = Question(about="offer", subject="p5.48xlarge", place="us-east-1a")
ROLE = Question(about="role", subject="AWSServiceRoleForEC2Spot", decides=False)
OTHER = Question(about="fleet", subject="x")


class Expired(Exception):
    """As an SDK raises it."""


def _said(answers: Sequence[Answer]) -> list[tuple[str, str, str]]:
    return [(answer.question.about, str(answer.verdict), answer.found) for answer in answers]


def test_answers_come_in_the_order_of_the_questions() -> None:
    account = Account(
        identity="me",
        askers={
            "quota": lambda asked: [refused(one, "384 vCPUs") for one in asked],
            "offer": lambda asked: [fine(one, "offered") for one in asked],
            "role": lambda asked: [refused(one, "missing") for one in asked],
        },
    )
    found = ask(account, [ROLE, OFFER, QUOTA])
    assert _said(found) == [
        ("role", "warns", "missing"),
        ("offer", "fine", "offered"),
        ("quota", "stops up", "384 vCPUs"),
    ]
    assert [answer.blocks for answer in found] == [False, False, True]


def test_one_asker_gets_the_questions_of_all_its_kinds_at_once() -> None:
    calls: list[list[str]] = []

    def both(asked: Sequence[Question]) -> list[Answer]:
        calls.append([one.about for one in asked])
        return [fine(one, "there") for one in asked]

    ask(Account(identity="me", askers={"quota": both, "offer": both}), [QUOTA, OFFER])
    assert calls == [["quota", "offer"]]


def test_a_failure_of_one_asker_leaves_the_other_answers() -> None:
    def expired(_: Sequence[Question]) -> list[Answer]:
        raise Expired("ExpiredToken\nmore")

    def denied(_: Sequence[Question]) -> list[Answer]:
        raise CannotAsk("ec2:DescribeInstanceTypeOfferings is denied", "allow it")

    askers = {"quota": expired, "offer": denied, "role": lambda asked: [fine(one, "there") for one in asked]}
    found = ask(Account(identity="me", askers=askers), [QUOTA, OFFER, ROLE, OTHER])
    assert _said(found) == [
        ("quota", "can't tell", "Expired: ExpiredToken"),
        ("offer", "can't tell", "ec2:DescribeInstanceTypeOfferings is denied"),
        ("role", "fine", "there"),
        ("fleet", "can't tell", "this version has no way to ask it"),
    ]
    assert found[1].fix == "allow it"


def test_the_cloud_explains_its_own_exceptions() -> None:
    def expired(_: Sequence[Question]) -> list[Answer]:
        raise Expired

    def explained(error: Exception) -> CannotAsk | None:
        return CannotAsk("your login has expired", "log in again", "aws sso login") if error.args == () else None

    [found] = ask(Account(identity="me", askers={"quota": expired}, explained=explained), [QUOTA])
    assert (found.verdict, found.found, found.command) == (Verdict.UNKNOWN, "your login has expired", "aws sso login")


def test_an_unanswered_question_is_not_fine() -> None:
    [found] = ask(Account(identity="me", askers={"quota": lambda _: []}), [QUOTA])
    assert (found.verdict, found.blocks) == (Verdict.UNKNOWN, True)


def test_without_an_account_every_question_is_listed() -> None:
    found = not_asked([QUOTA, ROLE])
    assert _said(found) == [("quota", "can't tell", "not asked"), ("role", "can't tell", "not asked")]
    assert [answer.blocks for answer in found] == [True, False]


def test_progress_counts_to_the_number_of_questions() -> None:
    seen: list[tuple[int, int]] = []
    account = Account(identity="me", askers={"quota": lambda asked: [fine(one, "there") for one in asked]})
    ask(account, [QUOTA, OTHER], lambda done, of: seen.append((done, of)))
    assert seen == [(2, 2)]
