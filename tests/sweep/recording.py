"""The registrations of a program, recorded between it and the engine, and replayed by a language host without any SDK.

A replay registers the same resources in the same order, one after the other. What the clouds gave other ids and names
than at the recording is put in place of the recorded ones. It goes on past what failed, as programs do: the engine
skips what depends on that.
"""

# ruff: noqa: ARG002 - the signatures are those of the protocol

from __future__ import annotations

import json
import re
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import language_pb2, plugin_pb2, resource_pb2, resource_pb2_grpc

from gpucluster.sandbox.engine.language_host.server import LanguageHost

__all__ = ["Call", "Recorder", "Replayer", "load", "save"]

_SERVICE: Final = "/pulumirpc.ResourceMonitor/"
_REPLAYED: Final = ("RegisterResource", "RegisterResourceOutputs", "ReadResource", "RegisterPackage")
_TOKEN: Final = re.compile(r"[\w.-]{6,}")
_LONGEST: Final = [("grpc.max_receive_message_length", 400 << 20), ("grpc.max_send_message_length", 400 << 20)]


@dataclass(frozen=True)
class Call:
    """One request to the monitor and its answer."""

    method: str
    request: bytes
    response: bytes


def save(calls: list[Call], file: Path) -> None:
    """Writes a recording."""
    rows = [[call.method, b64encode(call.request).decode(), b64encode(call.response).decode()] for call in calls]
    file.write_text(json.dumps(rows))


def load(file: Path) -> list[Call]:
    """Reads a recording."""
    return [Call(method, b64decode(asked), b64decode(said)) for method, asked, said in json.loads(file.read_text())]


class Recorder(LanguageHost):
    """Runs programs as ever, with a monitor in between that writes down what they register."""

    def __init__(self) -> None:
        super().__init__(None)
        self.calls: list[Call] = []

    def Run(self, request: language_pb2.RunRequest, context: grpc.ServicerContext) -> language_pb2.RunResponse:
        self.calls = []
        channel = grpc.insecure_channel(request.monitor_address, options=_LONGEST)
        server = grpc.server(ThreadPoolExecutor(max_workers=64), options=_LONGEST)
        server.add_generic_rpc_handlers((_Between(channel, self.calls),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            request.monitor_address = f"127.0.0.1:{port}"
            return super().Run(request, context)
        finally:
            server.stop(grace=1)


class _Between(grpc.GenericRpcHandler):
    def __init__(self, channel: grpc.Channel, calls: list[Call]) -> None:
        self._channel = channel
        self._calls = calls
        self._lock = threading.Lock()

    def service(self, handler_call_details: Any) -> Any:
        method = handler_call_details.method
        forward = self._channel.unary_unary(method)

        def answer(request: bytes, context: Any) -> bytes:
            name = method.removeprefix(_SERVICE)
            at = None
            if name in _REPLAYED:
                with self._lock:
                    at = len(self._calls)
                    self._calls.append(Call(name, request, b""))
            try:
                response: bytes = forward(request)
            except grpc.RpcError as error:
                context.abort(error.code(), error.details())
                raise
            if at is not None:
                self._calls[at] = Call(name, request, response)
            return response

        return grpc.unary_unary_rpc_method_handler(answer)


class Replayer(LanguageHost):
    """Answers Run by a recording."""

    def __init__(self, calls: list[Call]) -> None:
        super().__init__(None)
        self.calls = calls

    def GetPluginInfo(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version="3.0.0")

    def Run(self, request: language_pb2.RunRequest, context: grpc.ServicerContext) -> language_pb2.RunResponse:
        channel = grpc.insecure_channel(request.monitor_address, options=_LONGEST)
        monitor, now = resource_pb2_grpc.ResourceMonitorStub(channel), _Now()
        try:
            for call in self.calls:
                _replay(monitor, call, now)
        except grpc.RpcError:
            return language_pb2.RunResponse(bail=True)
        finally:
            channel.close()
        return language_pb2.RunResponse()


def _replay(monitor: Any, call: Call, now: _Now) -> None:
    match call.method:
        case "RegisterResource":
            asked = resource_pb2.RegisterResourceRequest.FromString(call.request)
            then = resource_pb2.RegisterResourceResponse.FromString(call.response)
            now.put_into(asked)
            # Functions of the program, which are not there.
            asked.ClearField("hooks")
            asked.ClearField("transforms")
            said = monitor.RegisterResource(asked)
        case "ReadResource":
            asked = resource_pb2.ReadResourceRequest.FromString(call.request)
            then = resource_pb2.ReadResourceResponse.FromString(call.response)
            now.put_into(asked)
            asked.id = now.text(asked.id)
            said = monitor.ReadResource(asked)
        case "RegisterResourceOutputs":
            outputs = resource_pb2.RegisterResourceOutputsRequest.FromString(call.request)
            if outputs.urn in now.made:
                _walk(outputs.outputs, now)
                monitor.RegisterResourceOutputs(outputs)
            return
        case _:
            package = resource_pb2.RegisterPackageRequest.FromString(call.request)
            ref = resource_pb2.RegisterPackageResponse.FromString(call.response).ref
            now.learn(ref, monitor.RegisterPackage(package).ref)
            return
    if said.result != resource_pb2.SUCCESS:
        return
    now.made.add(said.urn)
    if hasattr(then, "id"):
        now.learn(then.id, said.id)
    _compare(_properties(then), _properties(said), now)


def _properties(message: Any) -> struct_pb2.Struct:
    """Those of a message about a resource: its field depends on the kind of request."""
    return message.object if hasattr(message, "object") else message.properties


@dataclass
class _Now:
    """What stands today for what stood in the recording. made: the URNs of what was registered and did not fail."""

    made: set[str] = field(default_factory=set[str])
    tokens: dict[str, str] = field(default_factory=dict[str, str])

    def learn(self, was: str, is_: str) -> None:
        """Two texts of one place: where their words differ, the new stands for the old."""
        if was == is_:
            return
        old, new = _TOKEN.findall(was), _TOKEN.findall(is_)
        if len(old) == len(new):
            self.tokens.update({one: other for one, other in zip(old, new, strict=True) if one != other})

    def text(self, was: str) -> str:
        """A recorded text with what stands today."""
        return _TOKEN.sub(lambda found: self.tokens.get(found[0], found[0]), was) if self.tokens else was

    def put_into(self, asked: Any) -> None:
        """Changes a request."""
        _walk(_properties(asked), self)
        asked.provider = self.text(asked.provider)
        asked.packageRef = self.text(asked.packageRef)
        for name, reference in list(getattr(asked, "providers", {}).items()):
            asked.providers[name] = self.text(reference)


def _walk(values: struct_pb2.Struct, now: _Now) -> None:
    for value in _texts(values).values():
        value.string_value = now.text(value.string_value)


def _compare(was: struct_pb2.Struct, is_: struct_pb2.Struct, now: _Now) -> None:
    new = _texts(is_)
    for path, value in _texts(was).items():
        if path in new:
            now.learn(value.string_value, new[path].string_value)


def _texts(values: struct_pb2.Struct) -> dict[tuple[str | int, ...], struct_pb2.Value]:
    """The texts in a message, by path."""
    return {path: value for name, item in values.fields.items() for path, value in _within(item, (name,))}


def _within(
    value: struct_pb2.Value, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], struct_pb2.Value]]:
    match value.WhichOneof("kind"):
        case "string_value":
            yield path, value
        case "struct_value":
            for name, item in value.struct_value.fields.items():
                yield from _within(item, (*path, name))
        case "list_value":
            for at, item in enumerate(value.list_value.values):
                yield from _within(item, (*path, at))
        case _:
            return
