"""`getPolicyDocument`, computed as the provider does."""

from __future__ import annotations

import json
from typing import Any

from gpucluster.sandbox.clouds.aws.invokes import policy_document


def document(**args: Any) -> Any:
    return json.loads(policy_document(args)["json"])


def test_one_value_is_a_text_and_more_are_a_list_in_falling_order() -> None:
    statement = {
        "sid": "Read",
        "actions": ["s3:GetObject", "s3:ListBucket"],
        "resources": ["arn:aws:s3:::b/&{aws:username}"],
        "principals": [{"type": "AWS", "identifiers": ["arn:aws:iam::1:root"]}],
        "conditions": [{"test": "StringEquals", "variable": "aws:SourceVpc", "values": ["vpc-2", "vpc-1"]}],
    }
    assert document(statements=[statement]) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "Read",
                "Effect": "Allow",
                "Action": ["s3:ListBucket", "s3:GetObject"],
                "Resource": "arn:aws:s3:::b/${aws:username}",
                "Principal": {"AWS": "arn:aws:iam::1:root"},
                "Condition": {"StringEquals": {"aws:SourceVpc": ["vpc-2", "vpc-1"]}},
            }
        ],
    }


def test_everybody_is_a_star() -> None:
    everybody = {"principals": [{"type": "*", "identifiers": ["*"]}], "effect": "Deny", "notActions": ["a:B"]}
    assert document(statements=[everybody])["Statement"] == [{"Effect": "Deny", "NotAction": "a:B", "Principal": "*"}]


def test_a_document_on_top_replaces_statements_of_the_same_id() -> None:
    base = json.dumps({"Version": "2012-10-17", "Statement": [{"Sid": "A", "Effect": "Allow"}, {"Effect": "Deny"}]})
    top = json.dumps({"Statement": {"Sid": "A", "Effect": "Deny"}})
    assert document(sourcePolicyDocuments=[base], overridePolicyDocuments=[top])["Statement"] == [
        {"Sid": "A", "Effect": "Deny"},
        {"Effect": "Deny"},
    ]


def test_the_same_question_has_the_same_answer() -> None:
    args = {"statements": [{"actions": ["a:B"], "resources": ["*"]}]}
    assert policy_document(args) == policy_document(args)
