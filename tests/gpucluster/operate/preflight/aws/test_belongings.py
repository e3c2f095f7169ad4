"""Things of the user, on moto's server, and what it lacks by botocore's Stubber."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.answers import Answer
from gpucluster.operate.preflight.aws.belongings import ask_bucket, ask_file_system, ask_key, ask_topic
from tests.gpucluster.operate.preflight.aws.asked import question, said
from tests.gpucluster.operate.preflight.aws.stubs import Stubs

TOPIC = "arn:aws:sns:{}:123456789012:{}"
KEY = "arn:aws:kms:us-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
FILES = question("file system of yours", "fs-0123456789abcdef0", "available")


def bucket(name: str) -> Question:
    return question("bucket", name, "in us-east-1")


def test_a_bucket_is_in_the_region(moto: Caller) -> None:
    s3: Any = boto3.client("s3", "us-east-1")
    s3.create_bucket(Bucket="preflight-here")
    s3.create_bucket(Bucket="preflight-there", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    names = ("preflight-here", "preflight-there", "preflight-nowhere")
    assert [said(ask_bucket(moto, bucket(name))) for name in names] == [
        ("fine", "in us-east-1"),
        ("stops up", "in eu-west-1"),
        ("stops up", "no such bucket"),
    ]


def test_a_bucket_of_others_stops(stubs: Stubs, caller: Caller) -> None:
    stubs.fail("s3", "head_bucket", "403")
    assert said(ask_bucket(caller, bucket("theirs"))) == ("stops up", "not accessible to this login")


def test_a_topic_may_be_in_another_region(moto: Caller) -> None:
    boto3.client("sns", "eu-west-1").create_topic(Name="preflight")

    def asked(region: str) -> Answer:
        return ask_topic(moto, question("topic", TOPIC.format(region, "preflight"), place=region))

    assert said(asked("eu-west-1")) == ("fine", "exists")
    assert said(asked("us-east-1")) == ("stops up", "no such topic")


def test_a_key_is_enabled(moto: Caller) -> None:
    kms: Any = boto3.client("kms", "us-east-1")
    made = kms.create_key()["KeyMetadata"]
    assert said(ask_key(moto, question("key", made["Arn"]))) == ("fine", "enabled")
    kms.schedule_key_deletion(KeyId=made["KeyId"])
    assert said(ask_key(moto, question("key", made["Arn"]))) == ("stops up", "state PendingDeletion")
    signs = kms.create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["Arn"]
    assert said(ask_key(moto, question("key", signs))) == ("stops up", "of type RSA_2048")
    assert said(ask_key(moto, question("key", KEY))) == ("stops up", "no such key")


@pytest.mark.parametrize(
    ("kind", "state", "verdict"),
    [("LUSTRE", "AVAILABLE", "fine"), ("LUSTRE", "FAILED", "stops up"), ("WINDOWS", "AVAILABLE", "stops up")],
)
def test_a_file_system_is_available(kind: str, state: str, verdict: str, stubs: Stubs, caller: Caller) -> None:
    found = {"FileSystems": [{"FileSystemType": kind, "Lifecycle": state}]}
    stubs.add("fsx", "describe_file_systems", found, {"FileSystemIds": [FILES.subject]})
    assert said(ask_file_system(caller, FILES)) == (verdict, f"{kind}, {state}")


def test_a_missing_file_system_stops(stubs: Stubs, caller: Caller) -> None:
    stubs.fail("fsx", "describe_file_systems", "FileSystemNotFound")
    assert said(ask_file_system(caller, FILES)) == ("stops up", "no such file system")
