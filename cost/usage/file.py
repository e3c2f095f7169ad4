"""Reads a usage file.

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

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Final

import yaml

from gpucluster.core.text.yaml_text import BadYaml, read
from gpucluster.cost.handlers.registry import priced_types
from gpucluster.cost.pricing.assumptions import OF_ACCOUNTS, Assumptions, Exceptions, fault_of, unknown_name
from gpucluster.cost.usage.relevant import BadUsage, meant

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
