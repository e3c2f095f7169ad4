"""Things of the user that a stack uses: they exist, in the right region."""

from __future__ import annotations

from typing import Any

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.clients.aws.errors import code_of
from gpucluster.operate.preflight.answers import Answer, fine, refused


def ask_bucket(caller: Caller, question: Question) -> Answer:
    """FSx links buckets of the same region. Source: FSx for Lustre user guide, create-dra-linked-data-repo."""
    try:
        found = caller.client("s3").head_bucket(Bucket=question.subject)
    except Exception as error:
        if code_of(error) in ("404", "NoSuchBucket"):
            return refused(question, "no such bucket", "create it, or correct storage.shared.bucket")
        if code_of(error) == "403":
            return refused(question, "not accessible to this login", "grant it s3:ListBucket, or correct the name")
        raise
    region = found.get("BucketRegion") or _header(found) or "us-east-1"
    if region != question.place:
        return refused(question, f"in {region}", f"use a bucket in {question.place}, or the region of the bucket")
    return fine(question, f"in {region}")


def _header(found: Any) -> str:
    return found["ResponseMetadata"]["HTTPHeaders"].get("x-amz-bucket-region", "")


def ask_topic(caller: Caller, question: Question) -> Answer:
    """A topic may be in another region than the cluster."""
    try:
        caller.client("sns", question.place).get_topic_attributes(TopicArn=question.subject)
    except Exception as error:
        if code_of(error) not in ("NotFound", "NotFoundException"):
            raise
        return refused(question, "no such topic", "create it, or correct telemetry.alerts.topic")
    return fine(question, "exists")


def ask_key(caller: Caller, question: Question) -> Answer:
    """EKS takes symmetric keys. Source: Amazon EKS user guide, enable-kms."""
    try:
        found = caller.client("kms").describe_key(KeyId=question.subject)["KeyMetadata"]
    except Exception as error:
        if code_of(error) != "NotFoundException":
            raise
        return refused(question, "no such key", "correct secrets_key")
    state, spec = found["KeyState"], found.get("KeySpec", "SYMMETRIC_DEFAULT")
    if state != "Enabled":
        return refused(question, f"state {state}", "enable it, or write another secrets_key")
    if spec != "SYMMETRIC_DEFAULT":
        return refused(question, f"of type {spec}", "write a symmetric key for encryption as secrets_key")
    return fine(question, "enabled")


def ask_file_system(caller: Caller, question: Question) -> Answer:
    """A file system of FSx for Lustre."""
    found: list[Any] = []
    try:
        found = caller.client("fsx").describe_file_systems(FileSystemIds=[question.subject])["FileSystems"]
    except Exception as error:
        if code_of(error) != "FileSystemNotFound":
            raise
    if not found:
        return refused(question, "no such file system", "correct storage.shared.existing.id")
    kind, state = found[0]["FileSystemType"], found[0]["Lifecycle"]
    if kind != "LUSTRE" or state != "AVAILABLE":
        return refused(question, f"{kind}, {state}", "write a file system of FSx for Lustre that is available")
    return fine(question, f"{kind}, {state}")
