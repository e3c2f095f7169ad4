"""Reads a usage file, and finds the usage names that affect the price of each resource.

defaults:                        # every resource
  egress_gib: 200
types:                           # every resource of a type
  aws:lambda/function:Function:
    lambda_million_requests: 3
resources:                       # one resource, by name or URN; overrides its type, which overrides the defaults
  api:
    lambda_million_requests: 12

The names are those of `gpucluster cost usage names`, and include the unit.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, cast

import yaml

from gpucluster.core.program.resources import Resource, Resources, urn_name
from gpucluster.core.text.yaml_text import BadYaml, read
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.handlers.registry import priced_types
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import OF_ACCOUNTS, Assumptions, Exceptions, fault_of, unknown_name
from gpucluster.cost.rates import usage_words
from gpucluster.errors import InputError


def relevant_usage(resources: Resources, book: PriceBook, assumptions: Assumptions) -> dict[str, list[str]]:
    """URN -> names in the order of `gpucluster cost usage names`, for resources whose price depends on any."""
    names_by_urn: dict[str, set[str]] = {}
    estimate(resources, book, cast(Assumptions, _Listener(assumptions, names_by_urn, "")))
    order = Assumptions.names()
    return {urn: [name for name in order if name in names] for urn, names in names_by_urn.items() if urn and names}


class _Listener:
    """Assumptions that record which names are read, and for which resource."""

    def __init__(self, assumptions: Assumptions, names_by_urn: dict[str, set[str]], urn: str) -> None:
        self._assumptions = assumptions
        self._names_by_urn = names_by_urn
        self._urn = urn

    def of(self, resource: Resource) -> _Listener:
        """Assumptions for one resource."""
        return _Listener(self._assumptions.of(resource), self._names_by_urn, resource.urn)

    def amount(self, name: str) -> Any:
        """The value of a name."""
        self._names_by_urn.setdefault(self._urn, set()).add(name)
        return self._assumptions.amount(name)

    def __getattr__(self, name: str) -> Any:
        if name in Assumptions.names():
            return self.amount(name)
        return getattr(self._assumptions, name)


class BadUsage(InputError):
    """A usage file cannot be used; one line for each problem."""


def check_names(assumptions: Assumptions, *stacks: Resources) -> None:
    """BadUsage if a usage file names a resource that no stack has: a typing error would silently change nothing."""
    check_urns(assumptions, (one.urn for resources in stacks for one in resources))


def check_urns(assumptions: Assumptions, urns: Iterable[str]) -> None:
    """The same for the URNs of all resources."""
    exceptions = assumptions.exceptions
    if exceptions is None or not exceptions.resources:
        return
    names = {name for urn in urns for name in (urn, urn_name(urn))}
    missing = [name for name in exceptions.resources if name not in names]
    if missing:
        lines = (f"{exceptions.source}: resources: the stack has no {name!r}{meant(name, names)}" for name in missing)
        raise BadUsage("\n".join(lines))


def meant(name: str, known: Iterable[str]) -> str:
    """`; did you mean X?`, empty without a similar known name."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


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


_SECTIONS: Final = ("defaults", "types", "resources")
_Values = dict[str, Decimal]


def read_usage(path: Path) -> Assumptions:
    """The assumptions of a file. BadUsage gives line, value and allowed values for all problems."""
    reader = _Reader(path)
    root = reader.root()
    found: dict[str, dict[str, _Values]] = {"types": {}, "resources": {}}
    defaults: _Values = {}
    for section, node in reader.members(root, ""):
        if section not in _SECTIONS:
            reader.wrong(node, f"{section!r} is not known; allowed: {', '.join(_SECTIONS)}{meant(section, _SECTIONS)}")
        elif section == "defaults":
            defaults = dict(reader.values(node, section))
        else:
            for name, values in reader.members(node, section):
                if section == "types" and name not in priced_types():
                    reader.wrong(values, f"types: {name!r} is not a priced type{meant(name, priced_types())}")
                else:
                    found[section][name] = dict(reader.values(values, f"{section}.{name}"))
    reader.finish()
    try:
        assumptions = Assumptions().with_values({name: f"{value}" for name, value in defaults.items()})
    except ValueError as error:
        raise BadUsage(f"{path}: defaults: {error}") from None
    return replace(assumptions, exceptions=Exceptions(found["types"], found["resources"], path.name))


class _Reader:
    """The mappings of a file with line numbers, and the problems found."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._problems: list[tuple[int, str]] = []
        self._unclear: set[int] = set()

    def root(self) -> yaml.Node | None:
        """The document, None if the file is empty."""
        try:
            found = read(self._path)
        except OSError as error:
            raise BadUsage(
                f"{self._path} cannot be read: {error.strerror}; `gpucluster cost usage init` writes one"
            ) from None
        except BadYaml as error:
            raise BadUsage(f"{self._path} {error}; `gpucluster cost usage init` writes one") from None
        self._problems += [(fault.line, fault.text) for fault in found.faults]
        self._unclear = {fault.line for fault in found.faults if not fault.repeats}
        return found.root

    def members(self, node: yaml.Node | None, where: str) -> Iterator[tuple[str, yaml.Node]]:
        """(key, value) of a mapping; nothing for an empty value."""
        if node is None or (isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"):
            return
        if not isinstance(node, yaml.MappingNode):
            self.wrong(node, f"{where or 'the file'} is not a mapping; write lines such as egress_gib: 200")
            return
        yield from ((str(key.value), value) for key, value in node.value)

    def values(self, node: yaml.Node, where: str) -> Iterator[tuple[str, Decimal]]:
        """(name, value) of a mapping of usage."""
        for name, value in self.members(node, where):
            text = value.value if isinstance(value, yaml.ScalarNode) else "a list or mapping"
            if name not in Assumptions.names():
                self.wrong(value, f"{where}: {unknown_name(name)}")
            elif name in OF_ACCOUNTS and where != "defaults":
                self.wrong(value, f"{where}: {name} is a share of an account's commitments; write it under defaults")
            elif fault := fault_of(name, text):
                self.wrong(value, f"{where}: {name}: {fault}")
            else:
                yield name, Decimal(text)

    def wrong(self, node: yaml.Node, text: str) -> None:
        """Records a problem at the line of a node."""
        line = node.start_mark.line + 1
        if line not in self._unclear:  # two readings of a value are already reported
            self._problems.append((line, text))

    def finish(self) -> None:
        """BadUsage with all problems, in line order."""
        if self._problems:
            lines = (f"{self._path} line {line}: {text}" for line, text in sorted(self._problems))
            raise BadUsage("\n".join(lines))
