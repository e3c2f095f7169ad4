"""Reads a spec and reports everything wrong with it at once, in the user's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from gpucluster.components.planning.problem import Problem
from gpucluster.components.planning.yaml_file import YamlFile, read_yaml
from gpucluster.components.spec.cluster import ClusterSpec, StackSpec
from gpucluster.components.spec.errors import InvalidSpec, line_of, mistakes_of
from gpucluster.components.spec.model import Model
from gpucluster.components.spec.overrides import applied, wanted
from gpucluster.errors import InputError

Spec = TypeVar("Spec", bound=Model)
Read = TypeVar("Read", bound=Model, covariant=True)

_WHAT = "a spec is a mapping that starts with name: and training:; `gpucluster init` writes one"


class SpecSource(Protocol[Read]):
    """Where a spec is from."""

    def read(self) -> Read:
        """The spec. Raises InputError with every problem: the line, the field, the value seen, what to write."""
        ...

    def error(self, problems: Sequence[Problem]) -> InputError:
        """What a plan found wrong in a spec that could be read."""
        ...

    def what_if(self) -> list[str]:
        """What is asked of the spec otherwise than it says, for this preview; empty when nothing is."""
        ...


@dataclass(frozen=True)
class SpecValues(Generic[Spec]):
    """A spec as plain values. load: gives them, with their lines; raises InputError. model: what they have to be.

    name: the one it must have, None for any.
    """

    load: Callable[[], YamlFile]
    model: type[Spec]
    name: str | None = None

    def read(self) -> Spec:
        file = self.load()
        data, _ = applied(file.data, wanted())
        faults = list(file.faults)
        problems: list[tuple[int, str]] = []
        named: Any = data.get("name", self.name)
        if self.name is not None and named != self.name:
            line = line_of("name", file.root)
            problems.append((line, f"name is {named!r}, but the component is named {self.name!r}; use the same name"))
        try:
            spec = self.model.model_validate(data)
        except InvalidSpec as error:
            found = mistakes_of(error, file.root, self.model)
            problems += [(mistake.line, mistake.text) for mistake in found]
            # The field knows what it takes: "write true, or "yes" for the text" helps nobody where a number is wanted.
            refused = {mistake.field for mistake in found}
            faults = [fault for fault in faults if fault.repeats or fault.name not in refused]
        else:
            if not faults and not problems:
                return spec
        raise _error(file, [*((fault.line, fault.text) for fault in faults), *problems])

    def error(self, problems: Sequence[Problem]) -> InputError:
        file = self.load()
        return _error(file, [(line_of(problem.field, file.root), str(problem)) for problem in problems])

    def what_if(self) -> list[str]:
        values = wanted()
        return applied(self.load().data, values)[1] if values else []


def spec_file(path: Path, model: type[Spec], name: str | None = None) -> SpecValues[Spec]:
    """The spec in a YAML file."""
    return SpecValues(partial(read_yaml, path, what=_WHAT), model, name)


def stack_spec(path: Path) -> SpecValues[StackSpec]:
    """The spec of a stack, in a YAML file."""
    return spec_file(path, StackSpec)


def read_spec(path: Path) -> ClusterSpec:
    """The spec in a YAML file, a stack's or not. Raises InputError with every problem."""
    return spec_file(path, ClusterSpec).read()


def _error(file: YamlFile, problems: list[tuple[int, str]]) -> InputError:
    return InputError(file.source, [f"line {line}: {text}" if line else text for line, text in sorted(problems)])
