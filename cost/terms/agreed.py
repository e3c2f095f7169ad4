"""The terms of an estimate: those that components state, and those given for one run, which take precedence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpucluster.cost.money import percent_of
from gpucluster.program.facts import Terms


def agreed_terms(stated: Mapping[str, Terms], given: Mapping[str, Terms]) -> dict[str, Terms]:
    """Cloud -> its terms; without clouds for which nothing is agreed."""
    found = {**stated, **given}
    return {cloud: terms for cloud, terms in found.items() if terms.support or terms.discount}


def said(terms: Mapping[str, Terms]) -> Iterator[str]:
    """The terms in words, one text for each."""
    for cloud, agreed in terms.items():
        if agreed.discount:
            yield f"{percent_of(agreed.discount)} off the list prices of {cloud}"
        if agreed.support:
            yield f"the support plan {agreed.support} of {cloud}"
