# ruff: noqa: ARG002 - the signatures are those of the protocol
"""The engine's resource provider protocol around one simulated cloud."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import grpc
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc, plugin_pb2, provider_pb2, provider_pb2_grpc

from gpucluster.errors import place_of
from gpucluster.sandbox.clouds.cloud import (
    Account,
    Act,
    Change,
    Cloud,
    CloudError,
    Resource,
    SettingError,
    UnansweredError,
    changes,
    property_names,
)
from gpucluster.sandbox.clouds.events.long_running import UnfinishedError, Waiting, refuse_unfinished
from gpucluster.sandbox.clouds.events.scenario import Scenario
from gpucluster.sandbox.clouds.events.weather import Weather
from gpucluster.sandbox.clouds.outputs import before
from gpucluster.sandbox.clouds.requests import Maker, Requests, decoded, diff_response, failures_of
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Property, ResourceType, Schema, package_schema
from gpucluster.sandbox.clouds.types.validate import Failure, validate
from gpucluster.sandbox.clouds.types.values import from_struct, plain, to_struct

_ENGINE_SETTINGS = frozenset({"version", "pluginDownloadURL", "pluginChecksums", "__internal"})
"""Keys that the engine adds to a provider's own settings."""


_P = ParamSpec("_P")
_R = TypeVar("_R")
_log = logging.getLogger(__name__)

_ACTS = {"Create": Act.CREATE, "Update": Act.UPDATE, "Delete": Act.DELETE}


def _answers(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """Converts a refusal of the cloud into the error of the call, and reports an internal error as such."""

    @wraps(method)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        context: Any = args[2]
        try:
            return method(*args, **kwargs)
        except UnfinishedError as unfinished:
            _remember(method.__name__, args, unfinished)
            refuse_unfinished(context, unfinished)
        except CloudError as refusal:
            _remember(method.__name__, args, refusal)
            context.abort(grpc.StatusCode.UNKNOWN, str(refusal))
        except Exception as fault:
            _log.exception("fault in %s", method.__name__)
            message = f"the sandbox itself failed in {method.__name__} (please report): {fault!r} in {place_of(fault)}"
            context.abort(grpc.StatusCode.INTERNAL, message)
        raise AssertionError("abort always raises")

    return call


def _remember(method: str, args: tuple[Any, ...], error: CloudError) -> None:
    if isinstance(error, SettingError):
        args[0].lacks(error.key, error.example)
    if (act := _ACTS.get(method)) is not None and not getattr(args[1], "preview", False):
        there = error.entry if isinstance(error, UnfinishedError) else None
        args[0].note(args[1].urn, act, str(error), there.id if there is not None and there.failure is not None else "")


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """One provider instance: configured once, then called for its resources."""

    def __init__(
        self,
        cloud: Cloud,
        schema: Schema,
        ledger: Ledger,
        weather: Weather | None = None,
        named: Set[str] = frozenset(),
    ) -> None:
        """weather: events that no program requests; by default none. named: types that the command may be about."""
        self._cloud = cloud
        self._named = named
        self._schema = schema
        self._ledger = ledger
        self._weather = weather or Weather(Scenario())
        self._invents = self._weather.inventions
        self._waiting = Waiting(ledger)
        self.die: Callable[[], object] = self.stop_waiting
        """Ends the process that a real provider would be."""
        self._handler: Requests | None = None
        self._engine: engine_pb2_grpc.EngineStub | None = None
        self._noted: set[tuple[str, str]] = set()

    def _connect(self, address: str) -> None:
        self._engine = engine_pb2_grpc.EngineStub(grpc.insecure_channel(address))

    def _warn(self, urn: str, message: str) -> None:
        if self._engine is not None:
            request = engine_pb2.LogRequest(severity=engine_pb2.WARNING, message=message, urn=urn)
            with suppress(grpc.RpcError):  # the engine has exited and shows no message
                self._engine.Log(request)

    @property
    def _requests(self) -> Requests:
        if self._handler is None:
            raise CloudError(f"the provider {self._cloud.package} was used before it was configured")
        return self._handler

    @property
    def _configured(self) -> Account:
        return self._requests.account

    def Attach(self, request: Any, context: Any) -> Any:
        self._connect(request.address)
        return empty_pb2.Empty()

    def Handshake(self, request: Any, context: Any) -> Any:
        self._connect(request.engine_address)
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True, accept_resources=False, accept_outputs=False)

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=self._schema.sdk.version)

    @_answers
    def GetSchema(self, request: Any, context: Any) -> Any:
        return provider_pb2.GetSchemaResponse(schema=json.dumps(package_schema(self._schema, self._named)))

    @_answers
    def CheckConfig(self, request: Any, context: Any) -> Any:
        news = from_struct(request.news)
        settings = self._settings(request.news)
        failures = self._cloud.check_config(plain(settings)) or self._mistyped(settings)
        return provider_pb2.CheckResponse(inputs=to_struct(news), failures=failures_of(failures))

    @_answers
    def DiffConfig(self, request: Any, context: Any) -> Any:
        old, new = self._settings(request.old_inputs), self._settings(request.news)
        found = changes(old, new)
        replaced = self._cloud.config_replaces(plain(old), plain(new))
        return diff_response(found, replaced, [])

    @_answers
    def Configure(self, request: Any, context: Any) -> Any:
        account = self._cloud.configure(plain(self._settings(request.args)), self._ledger)
        account.looked_up = self._invents.looked_up
        reference = f"{request.urn}::{request.id}" if request.urn and request.id else ""
        maker = Maker(reference, from_struct(request.args))
        self._handler = Requests(self._cloud, account, self._weather, self._waiting, maker, lambda: self.die())
        self._handler.find_machines()
        if account.remark:
            self._warn("", account.remark)
        return provider_pb2.ConfigureResponse(
            acceptSecrets=True, supportsPreview=True, acceptResources=False, acceptOutputs=False
        )

    @_answers
    def Check(self, request: Any, context: Any) -> Any:
        news = from_struct(request.news)
        resource = Resource(
            urn=request.urn, type=self._type(request.urn), inputs=news, old_inputs=from_struct(request.olds)
        )
        failures = self._configured.failures(self._invents.judged(resource))
        inputs = news if failures else self._configured.defaults(resource, request.randomSeed)
        return provider_pb2.CheckResponse(inputs=to_struct(inputs), failures=failures_of(failures))

    @_answers
    def Diff(self, request: Any, context: Any) -> Any:
        resource = self._existing(request, request.news, request.olds)
        account = self._configured
        if self._invents.is_imported(resource):
            return diff_response([], [], [])
        found = changes(resource.old_inputs, resource.inputs)
        replaced: list[str] = []
        for change in found:
            answer = account.replaces(resource, change)
            if answer:
                replaced.append(change.path)
            elif answer is None:
                self._note_unmodelled(resource, change)
        derived: Mapping[str, Any] = {} if found else account.derived(resource)
        stale = changes({key: resource.outputs.get(key) for key in derived}, derived)
        replaced += [change.path for change in stale if account.replaces(resource, change)]
        delete_first = bool(replaced) and account.deletes_first(resource)
        return diff_response(found, replaced, stale, delete_first=delete_first)

    def _note_unmodelled(self, resource: Resource, change: Change) -> None:
        name = property_names(change.path)[0]
        self._note(
            resource,
            name,
            f"replacement not modelled for {resource.token}.{name}: the sandbox updates it in place, "
            "a real provider may replace the resource",
        )

    def _note(self, resource: Resource, name: str, message: str) -> None:
        """Warns once about a type, or about a property of it."""
        if (resource.token, name) not in self._noted:
            self._noted.add((resource.token, name))
            self._warn(resource.urn, message)

    @_answers
    def Create(self, request: Any, context: Any) -> Any:
        resource = Resource(urn=request.urn, type=self._type(request.urn), inputs=from_struct(request.properties))
        account = self._configured
        if not account.is_modelled(resource):
            self._note(
                resource,
                "",
                f"{resource.token} is not modelled: its id and what the cloud computes are made up or empty, and few "
                "of its values are checked",
            )
        if request.preview:
            account.rehearse(self._invents.judged(resource))
            return provider_pb2.CreateResponse(properties=to_struct(before(resource, account.known(resource))))

        there = self._requests.create(resource)
        return provider_pb2.CreateResponse(id=there.id, properties=to_struct(there.outputs))

    @_answers
    def Update(self, request: Any, context: Any) -> Any:
        resource = self._existing(request, request.news, request.olds)
        account = self._configured
        if (first := account.before_update(resource)) is not None and first[1]:
            self._warn(request.urn, first[1])
        if request.preview:
            account.rehearse(self._invents.judged(resource))
            return provider_pb2.UpdateResponse(properties=to_struct(before(resource, account.known(resource))))

        there = self._requests.update(resource)
        return provider_pb2.UpdateResponse(properties=to_struct(there.outputs))

    @_answers
    def Read(self, request: Any, context: Any) -> Any:
        there = self._requests.read(type_ := self._type(request.urn), request.id, from_struct(request.properties))
        if there is None:  # a refresh has properties; what a program only reads, or imports, exists in its account
            invents = self._invents.reads and self._configured.invents and not request.properties.fields
            return self._elsewhere(request, type_) if invents else provider_pb2.ReadResponse()
        properties, inputs = to_struct(there.outputs), to_struct(there.inputs)
        return provider_pb2.ReadResponse(id=there.id, properties=properties, inputs=inputs)

    def _elsewhere(self, request: Any, type_: ResourceType) -> Any:
        text = f"{type_.token} {request.id!r} is not in the sandbox: what it holds is made up (a scenario has `exists`)"
        self._warn(request.urn, text)
        properties = to_struct(self._invents.read(type_, request.id, self._configured.place))
        return provider_pb2.ReadResponse(id=request.id, properties=properties)

    @_answers
    def Delete(self, request: Any, context: Any) -> Any:
        self._requests.delete(self._type(request.urn), request.id, from_struct(request.properties))
        return empty_pb2.Empty()

    @_answers
    def Invoke(self, request: Any, context: Any) -> Any:
        args = plain(from_struct(request.args))
        given = self._weather.scenario.result(request.tok, args)
        try:
            answer = self._configured.invoke(request.tok, args)
        except UnansweredError:
            answer = self._stands_in(request.tok, args, known=bool(given))
        answer = {**answer, **given}
        response = provider_pb2.InvokeResponse()
        # The field is a keyword of Python.
        getattr(response, "return").CopyFrom(to_struct(answer))
        return response

    def _stands_in(self, token: str, args: Mapping[str, Any], *, known: bool) -> Mapping[str, Any]:
        """known: whether the scenario of the user has an answer."""
        function = self._cloud.function(self._schema, token)
        if function is None:
            version = f"{self._cloud.package} {self._schema.sdk.version}"
            raise CloudError(f"unrecognized function {token}: the installed SDK ({version}) does not have it")
        if not known:
            self._warn("", f"the answer of {token} is made up: the sandbox asks nobody (a scenario has `data`)")
        return self._invents.answer(function, {**self._configured.place, **args})

    @_answers
    def Construct(self, request: Any, context: Any) -> Any:
        from gpucluster.sandbox.clouds.foreign import construct

        made = construct(request, self._type(f"::::{request.type}::"))
        self._warn(
            made.urn, f"{request.type} is a program of its own, which is not run: what it makes is not known here"
        )
        return made

    @_answers
    def Call(self, request: Any, context: Any) -> Any:
        raise CloudError(f"the sandbox does not simulate the method {request.tok}")

    def Cancel(self, request: Any, context: Any) -> Any:
        # Immediate writes finish, so that state and ledger agree; waiting for other operations ends.
        self.stop_waiting()
        return empty_pb2.Empty()

    def note(self, urn: str, act: Act, error: str, id_: str) -> None:
        """Records a failed request. id_: of the resource, if it stays failed."""
        self._weather.note(urn, self._type(urn).token, act, error, id_)

    def lacks(self, key: str, example: str) -> None:
        """Records a missing setting. key: of the stack's configuration."""
        self._weather.missing[key] = example

    def stop_waiting(self) -> None:
        """Ends all waiting for operations in the cloud."""
        self._waiting.stop()

    def _settings(self, struct: struct_pb2.Struct) -> dict[str, Any]:
        """The provider's settings; the engine sends all values except plain strings as JSON text."""
        type_ = self._schema.resource_type(f"pulumi:providers:{self._cloud.package}")
        properties: Mapping[str, Property] = type_.inputs if type_ is not None else {}
        return {
            key: value if key in properties and properties[key].type == "str" else decoded(value)
            for key, value in from_struct(struct).items()
        }

    def _mistyped(self, settings: Mapping[str, Any]) -> list[Failure]:
        type_ = self._schema.resource_type(f"pulumi:providers:{self._cloud.package}") if self._cloud.checked else None
        own = {key: value for key, value in settings.items() if key not in _ENGINE_SETTINGS}
        return validate(own, type_) if type_ is not None else []

    def _type(self, urn: str) -> ResourceType:
        token = urn.split("::")[2].rsplit("$", 1)[-1]
        found = self._cloud.resource_type(self._schema, token)
        if found is None:
            version = f"{self._cloud.package} {self._schema.sdk.version}"
            raise CloudError(f"unrecognized resource type {token}: the installed SDK ({version}) does not have it")
        return found

    def _existing(self, request: Any, news: struct_pb2.Struct, olds: struct_pb2.Struct) -> Resource:
        return Resource(
            urn=request.urn,
            type=self._type(request.urn),
            inputs=from_struct(news),
            old_inputs=from_struct(request.old_inputs),
            outputs=from_struct(olds),
            id=request.id,
        )
