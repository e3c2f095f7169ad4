"""A first usage file for the resources of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gpucluster.cost.assumptions import OF_ACCOUNTS, Assumptions
from gpucluster.cost.rates import usage_words
from gpucluster.program.resources import Resources

_NAMED: Final = 8
"""Maximum of resources named per type, so that a file for a large plan stays readable."""


def first_usage(resources: Resources, asked: Mapping[str, Sequence[str]], what: str) -> str:
    """The text of a file that changes nothing: every value that affects the price of `what`, at its current default."""
    shares = dict.fromkeys(name for names in asked.values() for name in names if name in OF_ACCOUNTS)
    types: dict[str, dict[str, list[str]]] = {}
    for resource in resources:
        for name in (name for name in asked.get(resource.urn, ()) if name not in shares):
            types.setdefault(resource.type, {}).setdefault(name, []).append(resource.name)
    return "\n".join(_lines(types, list(shares), what)) + "\n"


def _lines(types: Mapping[str, Mapping[str, Sequence[str]]], shares: Sequence[str], what: str) -> Iterator[str]:
    default = Assumptions()
    yield f"# Usage of {what} in a month, which no plan can know. Give it with --usage to the commands that price."
    yield f"defaults:{'' if shares else ' {}'}  # of every resource; types go before it, and resources before these"
    for name in shares:
        yield f"  {name}: {default.amount(name):f}  # {usage_words()[name]}"
    if not types:
        yield "types: {}  # nothing in this plan is billed by usage"
    else:
        yield "types:"
    for type_ in sorted(types):
        yield f"  {type_}:"
        names = list(dict.fromkeys(name for of_type in types[type_].values() for name in of_type))
        for name in types[type_]:
            value = f"{default.amount(name):f}"
            yield f"    {name}: {value}  # {usage_words()[name]}"
        shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        yield f"    # of {shown}"
    first = next((names[0] for type_ in sorted(types) for names in types[type_].values()), None)
    yield "resources: {}  # of one resource, by its name or URN, such as"
    if first is not None:
        name = next(iter(types[sorted(types)[0]]))
        yield f"#  {first}:"
        yield f"#    {name}: {default.amount(name):f}"
