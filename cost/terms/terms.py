"""Account terms from options: `--support aws=business`, `--discount aws=8%`, `--account-spend aws=100000`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.program.facts import Terms
from gpucluster.core.program.values import BadValue, amount
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.money import percent_of
from gpucluster.cost.terms.support import UnknownPlan, support_of
from gpucluster.errors import InputError


class BadTerms(InputError):
    """Terms cannot be used; one line for each problem."""


def given_terms(
    book: PriceBook, *, support: Sequence[str] = (), discount: Sequence[str] = (), account_spend: Sequence[str] = ()
) -> dict[str, Terms]:
    """Cloud -> terms. BadTerms lists all problems."""
    found: dict[str, Terms] = {}
    problems: list[str] = []
    for option, texts in (("--support", support), ("--discount", discount), ("--account-spend", account_spend)):
        for text in texts:
            cloud, _, value = text.partition("=")
            try:
                found[cloud] = _with(found.get(cloud, Terms()), book, option, cloud, value)
            except BadValue as error:
                problems.append(f"{option} {text!r}: {error}")
    problems += _without_plan(found)
    if problems:
        raise BadTerms("\n".join(problems))
    return found


def _with(terms: Terms, book: PriceBook, option: str, cloud: str, value: str) -> Terms:
    if cloud not in clouds() or not value:
        example = {"--support": "business", "--discount": "8%"}.get(option, "100000")
        raise BadValue(f"write CLOUD=VALUE with one of {', '.join(clouds())}, such as {next(iter(clouds()))}={example}")
    if option == "--support":
        try:
            support_of(book, cloud, value)
        except UnknownPlan as error:
            raise BadValue(str(error)) from None
        return replace(terms, support=value)
    if option == "--discount":
        return replace(terms, discount=_share(value))
    try:
        return replace(terms, account_usd=amount(value, ""))
    except BadValue:
        raise BadValue("write USD a month, such as 100000") from None


def _share(text: str) -> Decimal:
    try:
        share = Decimal(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except InvalidOperation:
        share = Decimal("NaN")
    if share.is_finite() and 0 <= share < 1:
        return share
    raise BadValue("write a share of the list price from 0 to less than 1, such as 8% or 0.08")


def _without_plan(found: dict[str, Terms]) -> Iterator[str]:
    for cloud, terms in found.items():
        if terms.account_usd and not terms.support:
            usd = f"{terms.account_usd:f}"
            yield f"--account-spend {cloud}={usd}: only support depends on it; add --support {cloud}=PLAN"


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
