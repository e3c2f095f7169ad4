"""Secrets among many texts."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis.strategies import from_regex, one_of

from gpucluster.policies.secrets import _DETECTORS as DETECTORS
from gpucluster.policies.secrets import _random, places_with_secrets, secrets_in

MANY = {f"label-{number}": f"value-{number}" for number in range(1000)}


def test_one_secret_among_a_thousand_labels_is_found_in_its_place() -> None:
    labels = {**MANY, "label-500": "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"}
    assert list(places_with_secrets(labels, "tags")) == [("tags.label-500", "a Hugging Face token")]


def test_texts_that_are_read_as_one_make_no_secret_together() -> None:
    labels = {**MANY, "a": "hf_abcdefghijklmnopq", "b": "rstuvwxyzABCDEFGH"}
    assert list(places_with_secrets(labels, "tags")) == []


@pytest.mark.parametrize(
    "name", ["db_password", "DB_PASSWD", "Token", "client-secret", "credentials", "API_KEY", "accountkey"]
)
def test_a_value_that_is_random_is_a_secret_under_each_name_of_one(name: str) -> None:
    assert list(secrets_in(f"{name}=q7Zk2VbN8xTg4LpW9sRd")) == ["a value that only a key or token has"]
    assert list(secrets_in("colour=q7Zk2VbN8xTg4LpW9sRd")) == []


@pytest.mark.parametrize("detector", DETECTORS)
def test_whatever_a_detector_finds_something_in_has_its_mark(detector: str) -> None:
    module, _, name = detector.partition(".")
    _, mark = DETECTORS[detector]
    forms = getattr(import_module(f"detect_secrets.plugins.{module}"), name)().denylist

    @settings(database=None, derandomize=True, max_examples=40, deadline=None)
    @given(one_of([from_regex(form) for form in forms]))
    def found(text: str) -> None:
        assert re.search(mark, text)

    found()


def test_a_stack_without_a_mark_imports_no_detector() -> None:
    program = (
        "import sys\nfrom gpucluster.policies.secrets import secrets_in\n"
        "print(list(secrets_in(sys.argv[1:])), 'detect_secrets' in sys.modules)"
    )
    for text, found in (
        ("public.ecr.aws/eks/coredns@sha256:" + "0a1b2c3d" * 8, "[] False"),
        ("AKIAIOSFODNN7EXAMPL0", "['an AWS access key'] True"),
    ):
        done = subprocess.run([sys.executable, "-c", program, text], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("0123456789abcdef" * 2, True),
        ("01234567" * 4, False),  # three bits a digit
        ("012345678" * 4, True),
        (("0123456789abcdef" * 2)[1:], False),  # 31 digits
    ],
)
def test_32_hexadecimal_digits_of_more_than_three_bits_each_are_random(value: str, found: bool) -> None:
    assert _random(value) is found


@pytest.mark.parametrize(
    "value",
    [
        ["--key", f"nvapi-{'aB3-_' * 12}aB3x"],
        {"name": "NGC", "value": f"nvapi-{'aB3-_' * 12}aB3x"},
        {".dockerconfigjson": f'{{"auths": {{"nvcr.io": {{"password": "nvapi-{"aB3-_" * 12}aB3x"}}}}}}'},
    ],
    ids=["argument", "environment", "pull secret"],
)
def test_a_key_of_nvidias_registry_is_a_secret_under_any_name(value: object) -> None:
    assert list(secrets_in(value)) == ["an NGC key"]


def test_a_name_that_begins_like_a_key_of_nvidias_registry_is_none() -> None:
    assert list(secrets_in(f"nvapi-{'a' * 63}")) == []
