"""Secrets among many texts."""

from gpucluster.policies.secrets import places_with_secrets

MANY = {f"label-{number}": f"value-{number}" for number in range(1000)}


def test_one_secret_among_a_thousand_labels_is_found_in_its_place() -> None:
    labels = {**MANY, "label-500": "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"}
    assert list(places_with_secrets(labels, "tags")) == [("tags.label-500", "a Hugging Face token")]


def test_texts_that_are_read_as_one_make_no_secret_together() -> None:
    labels = {**MANY, "a": "hf_abcdefghijklmnopq", "b": "rstuvwxyzABCDEFGH"}
    assert list(places_with_secrets(labels, "tags")) == []
