"""Clusters declared in Python, without a stack's configuration: from the program's values to a plan."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pulumi
from pydantic.alias_generators import to_camel, to_snake

from gpucluster.components.cluster.cloud import ClusterPlan, cloud_of
from gpucluster.components.planning.planning import Planning
from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.file import SpecSource, SpecValues, YamlFile, spec_file
from gpucluster.components.spec.model import Model
from gpucluster.components.stack.declaration import forbid_overrides
from gpucluster.components.stack.stack_config import StackConfig
from gpucluster.components.stack.stack_plan import plan_source, plan_stack
from gpucluster.cost.preview import watch_cluster
from gpucluster.cost.pricing import plan_prices
from gpucluster.errors import InputError

SpecInput = ClusterSpec | Mapping[str, Any] | str | os.PathLike[str]
"""A spec in a program: an object already checked, plain values, or the path of a YAML file."""

Spec = TypeVar("Spec", bound=Model)
Plan = TypeVar("Plan")


@dataclass(frozen=True)
class ProgramCloud:
    """A cloud for programs. location: the class of its locations, whose fields are configuration keys.

    Invalid input raises InputError with every problem, in the terms of the program.
    """

    cloud: str
    location: type

    def plan(self, name: str, spec: SpecInput, location: object, machine: str | None) -> Any:
        """The plan of a cluster. machine: type of the training nodes, None for the one that the spec implies."""
        config = self._config("TrainingCluster", name, location, machine)
        return plan_stack(replace(config, spec=_source(name, spec)), plan_prices)

    def part(
        self,
        part: str,
        name: str,
        values: Mapping[str, Any],
        model: type[Spec],
        location: object,
        plan: Callable[[Spec, Planning[Any]], Plan],
        machine: str | None = None,
    ) -> tuple[Plan, Any]:
        """The plan of a part of a cluster, and the checked location. part: its class."""
        config = self._config(part, name, location, machine)
        source = SpecValues(partial(YamlFile, f"spec of {name}", None, {"name": name, **values}, ()), model, name)
        planned, _ = plan_source(config, source, cloud_of(self.cloud), plan)
        return planned, config.location

    def in_user_terms(self, text: str) -> str:
        """A text with keys that only a stack's configuration has, rewritten as fields of `location`."""
        own = [key for key in _keys(self.cloud) if key != to_snake(key)]
        if not own:
            return text
        return re.sub(rf"(?:gpucluster:)?\b({'|'.join(own)})\b", lambda found: f"location.{to_snake(found[1])}", text)

    def _config(self, part: str, name: str, location: object, machine: str | None) -> _Config:
        forbid_overrides()
        known, found = cloud_of(self.cloud), None
        problems: list[Problem] = []
        if isinstance(location, self.location):
            values, wrong = _values(self.cloud, location)
            found, more = known.locate(values)
            problems += [*wrong, *more]
        else:
            problems.append(Problem("location", f"is {location!r}", f"write a gpucluster.{self.cloud}.Location"))
        return _Config(
            stack=pulumi.get_stack(),
            spec=None,
            cloud=self.cloud,
            location=None if problems else found,
            machine=machine,
            source=f"gpucluster.{self.cloud}.{part} {name}",
            prefix="",
            problems=tuple(problems),
            in_user_terms=self.in_user_terms,
        )


def with_provider(
    opts: pulumi.ResourceOptions | None,
    package: str,
    make: Callable[[pulumi.ResourceOptions], pulumi.ProviderResource],
) -> pulumi.ResourceOptions:
    """The options with a provider of a package: their own or their parent's, else a new one."""
    given = opts or pulumi.ResourceOptions()
    several = given.providers or []
    brought = [given.provider, *(several.values() if isinstance(several, Mapping) else several)]
    above = None if given.parent is None else given.parent.get_provider(f"{package}:index:any")
    if above is not None or any(one is not None and one.package == package for one in brought):
        return given
    # If the parent belongs to another program, the SDK can't read which options its children inherit.
    planned = make(pulumi.ResourceOptions(parent=given.parent, protect=given.protect))
    return pulumi.ResourceOptions.merge(given, pulumi.ResourceOptions(providers=[planned]))


def priced(opts: pulumi.ResourceOptions | None, package: str, plan: ClusterPlan) -> pulumi.ResourceOptions | None:
    """The options of a cluster, with which it is priced at the program's end unless `gpucluster.watch()` is open."""
    return watch_cluster(opts, {package: plan.location.region})


@dataclass(frozen=True, kw_only=True)
class _Config(StackConfig):
    """Location and machine given by a program. cloud: one of CLOUDS."""

    cloud: str
    in_user_terms: Callable[[str], str]

    def named(self, problem: Problem) -> str:
        place = problem.field in _keys(self.cloud) and problem.field == to_snake(problem.field)
        return self.in_user_terms(f"location.{problem}" if place else str(problem))


@dataclass(frozen=True)
class _Checked:
    """A spec that was checked at its creation."""

    spec: ClusterSpec
    name: str

    def read(self) -> ClusterSpec:
        if self.spec.name != self.name:
            seen = f"is {self.spec.name!r}, but the component is named {self.name!r}"
            raise self.error([Problem("name", seen, "use the same name")])
        return self.spec

    def error(self, problems: Sequence[Problem]) -> InputError:
        return InputError(f"spec of {self.name}", list(map(str, problems)))

    def what_if(self) -> list[str]:
        return []


def _source(name: str, spec: SpecInput) -> SpecSource[ClusterSpec]:
    if isinstance(spec, ClusterSpec):
        return _Checked(spec, name)
    if isinstance(spec, Mapping):
        return SpecValues(partial(YamlFile, f"spec of {name}", None, {"name": name, **spec}, ()), ClusterSpec, name)
    return spec_file(Path(spec), ClusterSpec, name)


def _values(cloud: str, location: Any) -> tuple[dict[str, str], list[Problem]]:
    """The location as values of a stack's configuration, and fields that can't be written there."""
    keys = cloud_of(cloud).keys
    values: dict[str, str] = {}
    problems: list[Problem] = []
    for field in fields(location):
        key, value = to_camel(field.name), getattr(location, field.name)
        if isinstance(value, str | int):
            values[key] = str(value).lower() if isinstance(value, bool) else str(value)
        elif value is not None or key in keys:
            example = f" such as {keys[key]!r}" if key in keys else ""
            problems.append(Problem(key, f"is {_seen(value)}", f"write its value{example}"))
    return values, problems


def _seen(value: object) -> str:
    if value is None:
        return "missing"
    return "an Output, unknown in a preview" if isinstance(value, pulumi.Output) else repr(value)


def _keys(cloud: str) -> list[str]:
    """The location keys of a stack's configuration."""
    return [*cloud_of(cloud).keys, *cloud_of(cloud).optional]
