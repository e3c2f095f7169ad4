"""Answers as a reader and as a program gets them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from gpucluster.core.documents.formats import written
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import fine, refused, unknown
from gpucluster.operate.preflight.document import Found, needed, preflight_document

CORES = Question(about="quota", subject="L-417A185B", needed=960, unit="vCPUs", place="us-east-1", title="P instances")
OFFER = Question(about="offer", subject="p5.48xlarge", place="us-east-1a")
ROLE = Question(about="role", subject="AWSServiceRoleForEC2Spot", decides=False)
FOUND = Found(
    stack="dev",
    identity="account 123456789012 as me",
    not_asked=None,
    answers=[fine(OFFER, "offered"), unknown(ROLE, "denied"), refused(CORES, "384 vCPUs", "ask for 960", "aws quota")],
    asked=datetime(2026, 11, 29, 12, 0, 0, 7, tzinfo=UTC),
)


def test_what_stops_up_comes_first() -> None:
    assert written(preflight_document(FOUND), "table", 80).splitlines() == [
        "Preflight of dev, account 123456789012 as me",
        "",
        "3 asked: 1 stops up, 1 can't tell, 1 fine",
        "",
        "asked                                needed     found                 verdict",
        "P instances (L-417A185B), us-east-1  960 vCPUs  384 vCPUs             stops up",
        "    ask for 960",
        "    aws quota",
        "AWSServiceRoleForEC2Spot             there      denied                can't tell",
        "p5.48xlarge, us-east-1a              there      offered               fine",
    ]


def test_a_program_gets_every_field() -> None:
    document = json.loads(written(preflight_document(FOUND), "json"))
    assert {key: value for key, value in document.items() if key != "answers"} == {
        "schema_version": 1,
        "stack": "dev",
        "asked_at": "2026-11-29T12:00:00+00:00",
        "identity": "account 123456789012 as me",
        "not_asked": None,
        "blocked": 1,
    }
    assert document["answers"][2] == {
        "about": "quota",
        "subject": "L-417A185B",
        "title": "P instances",
        "place": "us-east-1",
        "needed": 960,
        "unit": "vCPUs",
        "decides": True,
        "verdict": "stops up",
        "found": "384 vCPUs",
        "fix": "ask for 960",
        "command": "aws quota",
    }


def test_an_account_that_was_not_asked_is_named_with_what_to_do() -> None:
    why = CannotAsk("there are no AWS credentials", "log in", "aws sso login")
    found = Found(stack="dev", identity=None, not_asked=why, answers=[], asked=FOUND.asked)
    text = written(preflight_document(found), "table", 80)
    assert "Preflight of dev, no account" in text
    assert "The account was not asked: there are no AWS credentials: log in: aws sso login" in text


def test_one_of_something_has_a_singular() -> None:
    units = {"VPCs": "1 VPC", "addresses": "1 address", "placement policies": "1 placement policy", "GiB": "1 GiB"}
    asked = [Question(about="quota", subject="x", needed=1, unit=unit) for unit in units]
    assert [needed(one) for one in asked] == list(units.values())
    assert needed(Question(about="quota", subject="x", needed=2, unit="VPCs")) == "2 VPCs"
