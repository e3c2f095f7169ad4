"""Secrets among many texts."""

import pytest

from gpucluster.policies.secrets import places_with_secrets, secrets_in

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
