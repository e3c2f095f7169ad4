"""Parts of the engine's messages: values sent as text, refused inputs, and effects of a change."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pulumi.runtime.proto import provider_pb2

from gpucluster.sandbox.clouds.cloud import (
    Account,
    Act,
    Change,
    Cloud,
    CloudError,
    CreatedResource,
    Kind,
    Resource,
    property_names,
)
from gpucluster.sandbox.clouds.events.long_running import (
    UnfinishedError,
    Waiting,
    begin_operation,
    long_running_types,
    stays_failed,
)
from gpucluster.sandbox.clouds.events.scenario import Disturbance
from gpucluster.sandbox.clouds.events.weather import Weather
from gpucluster.sandbox.clouds.model import changed_inputs
from gpucluster.sandbox.clouds.outputs import after
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.schema import ResourceType
from gpucluster.sandbox.clouds.types.validate import Failure
from gpucluster.sandbox.clouds.types.values import Secret, plain

_KINDS = {
    (Kind.ADD, False): provider_pb2.PropertyDiff.ADD,
    (Kind.ADD, True): provider_pb2.PropertyDiff.ADD_REPLACE,
    (Kind.DELETE, False): provider_pb2.PropertyDiff.DELETE,
    (Kind.DELETE, True): provider_pb2.PropertyDiff.DELETE_REPLACE,
    (Kind.UPDATE, False): provider_pb2.PropertyDiff.UPDATE,
    (Kind.UPDATE, True): provider_pb2.PropertyDiff.UPDATE_REPLACE,
}


def decoded(value: Any) -> Any:
    """A setting of a provider; the engine sends all values except plain strings as JSON text."""
    if isinstance(value, Secret):
        return Secret(decoded(value.value))
    if (isinstance(value, str) and value[:1] in ("{", "[", '"')) or value in ("true", "false"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def failures_of(failures: list[Failure]) -> list[Any]:
    """Refused inputs in the form of Check's answer."""
    return [provider_pb2.CheckFailure(property=failure.path, reason=failure.reason) for failure in failures]


def diff_response(
    found: list[Change], replaced: list[str], derived: list[Change], *, delete_first: bool = False
) -> Any:
    """The answer to Diff.

    found: changed inputs. replaced: paths that need a new resource. derived: dependent outputs.
    """
    detailed = {
        change.path: provider_pb2.PropertyDiff(kind=_KINDS[change.kind, change.path in replaced], inputDiff=True)
        for change in found
    }
    detailed |= {
        change.path: provider_pb2.PropertyDiff(kind=_KINDS[change.kind, change.path in replaced]) for change in derived
    }
    some = provider_pb2.DiffResponse.DIFF_SOME if detailed else provider_pb2.DiffResponse.DIFF_NONE
    return provider_pb2.DiffResponse(
        changes=some,
        replaces=replaced,
        diffs=sorted({property_names(path)[0] for path in detailed}),
        detailedDiff=detailed,
        hasDetailedDiff=True,
        deleteBeforeReplace=delete_first,
    )


class _Accepted(NamedTuple):
    """An accepted request, and the scenario's disturbance for it."""

    entry: Entry
    disturbance: Disturbance | None


class Maker(NamedTuple):
    """The provider as identified in a state. reference: `urn::id`. given: its settings, as sent by the engine."""

    reference: str
    given: Mapping[str, Any]


class Requests:
    """Each raises CloudError if it fails; UnfinishedError if the resource exists nevertheless."""

    def __init__(
        self,
        cloud: Cloud,
        account: Account,
        weather: Weather,
        waiting: Waiting,
        maker: Maker,
        die: Callable[[], object],
    ) -> None:
        """maker: the provider recorded in the ledger. die: ends the process that a real provider would be."""
        self.account = account
        self._cloud = cloud
        self._weather = weather
        self._waiting = waiting
        self._maker = maker
        self._is_written = not (maker.reference and maker.given)
        self._die = die

    def find_machines(self) -> None:
        """Completes the failed pools whose machines the cloud has found since the last command."""
        waiting = [type_ for type_, row in long_running_types().items() if row.again == "waits"]
        for pool in self.account.ledger.of_types(waiting):
            if pool.failure is not None and self._weather.lacks(pool, self.account.ledger) is None:
                self.account.ledger.put(replace(pool, failure=None))

    def create(self, resource: Resource) -> Entry:
        """Creates a resource, waits for its completion, and reads it."""

        def accept() -> _Accepted:
            disturbance = self._foreseen(resource, Act.CREATE)
            if ineffective := self._weather.ineffective():
                self.account.check_effective(resource, ineffective)
            entry = self._entry(resource, self.account.create(resource))
            if self.account.ledger.get(entry.provider, entry.scope, entry.type, entry.id) is None:
                self._weather.created(entry, disturbance)
            return self._begin(entry, disturbance, Act.CREATE)

        there = self._ended(self._waiting.accepted(accept), Act.CREATE)
        self._look_for(there)
        return there

    def update(self, resource: Resource) -> Entry:
        """Changes a resource in place, in one request or two, and waits for the completion of each."""
        first = self.account.before_update(resource)
        if first is not None:
            there = self._update(replace(resource, inputs=first[0]))
            resource = replace(resource, old_inputs=first[0], outputs=there.outputs)
        return self._update(resource)

    def _update(self, resource: Resource) -> Entry:
        def accept() -> _Accepted:
            disturbance = self._foreseen(resource, Act.UPDATE)
            there = self._there(resource.type, resource.id, resource.outputs)
            if there is None:
                raise CloudError(f"updating {resource.token} ({resource.id}): couldn't find resource")
            if stays_failed(there) and not changed_inputs(resource):
                return _Accepted(there, None)
            entry = replace(self._entry(resource, self.account.update(resource)), created_at=there.created_at)
            return self._begin(entry, disturbance, Act.UPDATE)

        return self.account.read(self._ended(self._waiting.accepted(accept), Act.UPDATE))

    def read(self, type_: ResourceType, id_: str, outputs: Mapping[str, Any]) -> Entry | None:
        """A resource as the cloud returns it; None if it does not exist, or is not yet visible."""
        there = self._there(type_, id_, plain(outputs))
        if there is None:
            return None
        disturbance = self._weather.disturbance(there.type, there.names, Act.READ)
        if disturbance is not None and disturbance.fails == "not-yet":
            return None
        self._waiting.accepted(lambda: self._weather.before(disturbance, there.provider, there.type, {}, Act.READ))
        return self.account.read(there)

    def delete(self, type_: ResourceType, id_: str, outputs: Mapping[str, Any]) -> None:
        """Deletes a resource, if it exists."""

        def accept() -> _Accepted | None:
            there = self._there(type_, id_, plain(outputs))
            if there is None:
                return None
            disturbance = self._weather.disturbance(there.type, there.names, Act.DELETE)
            self._weather.before(disturbance, there.provider, there.type, there.inputs, Act.DELETE)
            return self._begin(there, disturbance, Act.DELETE) if self.account.delete(there) else None

        going = self._waiting.accepted(accept)
        try:
            if going is not None:
                self._ended(going, Act.DELETE)
        except UnfinishedError as unfinished:
            # The state already has it.
            raise CloudError(str(unfinished)) from unfinished

    def _foreseen(self, resource: Resource, act: Act) -> Disturbance | None:
        """The scenario's disturbance; raises CloudError if the cloud refuses the request."""
        disturbance = self._weather.disturbance(
            resource.token, (resource.logical_name, self.account.name(resource)), act
        )
        self._weather.before(disturbance, self._cloud.package, resource.token, resource.inputs, act)
        return disturbance

    def _begin(self, entry: Entry, disturbance: Disturbance | None, act: Act) -> _Accepted:
        """Writes the accepted operation."""
        ledger = self.account.ledger
        disturbance = self._weather.short(entry, act, ledger) or disturbance
        going = begin_operation(entry, act, disturbance, self._cloud.lasts)
        if act is Act.DELETE and going.operation is None:
            ledger.remove(entry.provider, entry.scope, entry.type, entry.id)
        else:
            self._put(going)
        return _Accepted(going, disturbance)

    def _put(self, entry: Entry) -> None:
        """Writes a resource, and once its provider: otherwise no state could be rebuilt from the ledger."""
        self.account.ledger.put(entry)
        if not self._is_written:
            self.account.ledger.put_provider(*self._maker)
            self._is_written = True

    def _ended(self, accepted: _Accepted, act: Act) -> Entry:
        """The resource after its accepted operation has ended."""
        disturbance = accepted.disturbance
        if disturbance is not None and disturbance.fails == "crash":
            self._die()
            raise CloudError("the provider has crashed")
        self._weather.after(disturbance, accepted.entry, act)
        return self._waiting.ended(accepted.entry)

    def _look_for(self, made: Entry) -> None:
        """Reads the created resource, with the retries of a provider."""
        if self._weather.calm:
            return

        def look() -> None:
            disturbance = self._weather.disturbance(made.type, made.names, Act.READ)
            self._weather.before(disturbance, made.provider, made.type, made.inputs, Act.READ)

        try:
            self._waiting.accepted(look)
        except CloudError as refused:
            raise UnfinishedError(str(refused), made) from refused

    def _there(self, type_: ResourceType, id_: str, outputs: Mapping[str, Any]) -> Entry | None:
        scope = self.account.scope(type_, outputs)
        return self.account.ledger.get(self._cloud.package, scope, type_.token, id_)

    def _entry(self, resource: Resource, made: CreatedResource) -> Entry:
        outputs = after(resource, made.outputs)
        return Entry(
            provider=self._cloud.package,
            scope=self.account.scope(resource.type, plain(outputs)),
            type=resource.token,
            id=made.id,
            name=made.name,
            urn=resource.urn,
            inputs=dict(resource.inputs),
            outputs=outputs,
            provider_ref=self._maker.reference,
        )
