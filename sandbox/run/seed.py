"""Applies a scenario to the simulated clouds: existing resources, and changes made outside Pulumi."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gpucluster.core.text.type_guards import is_list, is_object, mapping
from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.cloud import Cloud, CloudError, Resource
from gpucluster.sandbox.clouds.events.scenario import EXISTS, Drift, Existing, Scenario
from gpucluster.sandbox.clouds.outputs import REPEATED, after
from gpucluster.sandbox.clouds.registry import SIMULATED
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import Sdk, how_to_install
from gpucluster.sandbox.clouds.types.values import plain


@dataclass(frozen=True)
class _Seed:
    """A resource to create, and its position in the file."""

    existing: Existing
    urn: str


def seed(scenario: Scenario, sdks: Mapping[str, Sdk], ledger: Ledger) -> None:
    """Creates the scenario's existing resources unless they exist; raises InputError if a cloud would refuse one."""
    for each in scenario.exists:
        text = json.dumps([each.type, each.provider, each.inputs], sort_keys=True, default=str)
        found = _Seed(each, f"{EXISTS}:{text}")
        if not any(entry.urn == found.urn for entry in ledger.of_types({each.type})):
            _make(found, sdks, ledger)


def _make(it: _Seed, sdks: Mapping[str, Sdk], ledger: Ledger) -> None:
    each, package = it.existing, it.existing.type.split(":", 1)[0]
    if package not in SIMULATED:
        raise InputError(f"the scenario has {each.type}; simulated here: {', '.join(sorted(SIMULATED))}")
    if package not in sdks:
        raise InputError(f"the scenario has {each.type}, which {how_to_install(package)}")
    cloud = SIMULATED[package]()
    type_ = cloud.resource_type(Schema(sdks[package]), each.type)
    if type_ is None:
        raise InputError(f"the scenario has {each.type}, which {package} {sdks[package].version} does not have")
    refused = cloud.check_config(each.provider)
    if refused:
        raise InputError(f"the scenario's provider of {each.type}: {refused[0].path}: {refused[0].reason}")
    _put(it, cloud, Resource(urn=it.urn, type=type_, inputs=each.inputs), ledger)


def _put(it: _Seed, cloud: Cloud, asked: Resource, ledger: Ledger) -> None:
    try:
        account = cloud.configure(it.existing.provider, ledger)
        failures = account.failures(asked)
        if failures:
            raise CloudError("; ".join(f"{failure.path}: {failure.reason}" for failure in failures))
        inputs = account.defaults(asked, it.urn.encode())
        resource = Resource(urn=it.urn, type=asked.type, inputs=inputs)
        with ledger.exclusive():
            made = account.create(resource)
            outputs = after(resource, made.outputs)
            ledger.put(
                Entry(
                    provider=cloud.package,
                    scope=account.scope(resource.type, plain(outputs)),
                    type=resource.token,
                    id=made.id,
                    name=made.name,
                    urn=it.urn,
                    inputs=inputs,
                    outputs=outputs,
                )
            )
    except CloudError as error:
        raise InputError(f"the scenario's {it.existing.type} cannot exist: {error}") from error


def disturb(scenario: Scenario, ledger: Ledger) -> None:
    """Changes and deletes resources outside Pulumi; raises InputError for a missing resource or property."""
    for at, drift in enumerate(scenario.drift):
        there = [entry for entry in ledger.of_types({drift.type}) if drift.name in ("", *entry.names)]
        if not there and not drift.deleted:
            named = f" called {drift.name}" if drift.name else ""
            raise InputError(f"the scenario's drift[{at}]: there is no {drift.type}{named} in the simulated clouds")
        for entry in there:
            if drift.deleted:
                ledger.remove(entry.provider, entry.scope, entry.type, entry.id)
            else:
                ledger.put(_drifted(entry, drift))


def _drifted(entry: Entry, drift: Drift) -> Entry:
    """The entry after a change by someone else: inputs change both as input and as output; computed values only as
    output.
    """
    inputs, outputs = dict(entry.inputs), dict(entry.outputs)
    for path, value in drift.set.items():
        name, *below = path.split(".")
        if name in inputs:
            inputs[name] = _with(inputs[name], below, value)
        outputs[name] = _with(outputs.get(name), below, value)
        for computed in REPEATED.get(name, ()):
            if computed in outputs:
                outputs[computed] = _with(outputs[computed], below, value)
    return replace(entry, inputs=inputs, outputs=outputs)


def _with(value: Any, path: list[str], new: Any) -> Any:
    """A value with one nested value replaced; None removes it."""
    if not path:
        return new
    first, *rest = path
    if is_list(value) and first.isdecimal() and int(first) < len(value):
        return [_with(item, rest, new) if at == int(first) else item for at, item in enumerate(value)]
    inner = dict(mapping(value)) if is_object(value) or value is None else {}
    changed = _with(inner.get(first), rest, new)
    return {key: item for key, item in {**inner, first: changed}.items() if key != first or changed is not None}
