"""Stacks in the simulated clouds without an engine: their programs run in this process, and the provider that a program
gives to a resource checks, creates, compares, reads and deletes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, NoReturn

import grpc
import pulumi
from pulumi.runtime.mocks import MockCallArgs, MockMonitor, MockResourceArgs, Mocks
from pulumi.runtime.proto import provider_pb2

from gpucluster.sandbox.clouds.provider import Provider
from gpucluster.sandbox.clouds.registry import SIMULATED
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.values import from_struct, plain, to_struct

_SAME: Final = provider_pb2.DiffResponse.DIFF_NONE


class RefusedError(grpc.RpcError):
    """What a call ends with."""

    def code(self) -> grpc.StatusCode:
        return self.args[0]

    def details(self) -> str:
        return self.args[1]


class Context:
    """The part of a gRPC context that the provider uses."""

    def set_trailing_metadata(self, metadata: object) -> None:
        del metadata

    def abort(self, code: grpc.StatusCode, message: str) -> NoReturn:
        raise RefusedError(code, message)


@dataclass
class Made:
    """provider: that made it. inputs: as checked. kept: whether a destroy leaves it."""

    provider: Provider
    urn: str
    id: str
    inputs: Any
    outputs: Any
    kept: bool

    def read(self) -> tuple[str, dict[str, Any]]:
        """Its id and properties in the cloud; an empty id if it is not there."""
        request = provider_pb2.ReadRequest(id=self.id, urn=self.urn, properties=self.outputs, inputs=self.inputs)
        found = self.provider.Read(request, Context())
        return found.id, from_struct(found.properties)

    def differs(self, news: Mapping[str, Any], ignored: list[str]) -> list[str]:
        """The inputs that a program would change, if it gave these."""
        before = from_struct(self.inputs)
        given = {**news, **{name: before[name] for name in ignored if name in before}}
        check = provider_pb2.CheckRequest(urn=self.urn, olds=self.inputs, news=to_struct(given))
        checked = self.provider.Check(check, Context())
        request = provider_pb2.DiffRequest(
            id=self.id, urn=self.urn, olds=self.outputs, old_inputs=self.inputs, news=checked.inputs
        )
        found = self.provider.Diff(request, Context())
        return [] if found.changes == _SAME else [*found.diffs]


class Stack(MockMonitor, Mocks):
    """One stack. made: URN -> resource, oldest first."""

    def __init__(self, name: str, schemas: Mapping[str, Schema], ledger: Ledger, salt: str = "") -> None:
        """salt: makes random names differ from those of another stack."""
        super().__init__(self)
        self._salt = salt
        self.name, self._schemas, self._ledger = name, schemas, ledger
        self.made: dict[str, Made] = {}
        self.urn = ""
        """Of the resource that is being created."""
        self._providers: dict[str, Provider] = {}
        self._changes: dict[str, str] = {}
        self._seen: set[str] = set()
        self._request: Any = None
        self._without: Set[str] = frozenset()
        self._lock = Lock()

    def up(self, program: Callable[[], object], without: Set[str] = frozenset()) -> None:
        """Creates what the program registers. without: inputs that an older release of it did not have."""
        self._without = without
        self._run(program, preview=False)
        assert self._changes == {}

    def preview(self, program: Callable[[], object]) -> dict[str, str]:
        """Logical name -> what another `up` would do to it; {} if nothing."""
        self._run(program, preview=True)
        gone = {_name(urn): "delete" for urn in self.made.keys() - self._seen}
        return {**self._changes, **gone}

    def read(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """What a refresh finds: logical name -> id and properties."""
        return {urn: made.read() for urn, made in self.made.items()}

    def destroy(self) -> None:
        """Deletes everything but what its options keep."""
        for made in reversed(self.made.values()):
            if not made.kept:
                request = provider_pb2.DeleteRequest(id=made.id, urn=made.urn, properties=made.outputs)
                made.provider.Delete(request, Context())
        self.made.clear()

    def _run(self, program: Callable[[], object], *, preview: bool) -> None:
        self._changes, self._seen, self._preview = {}, set(), preview
        pulumi.runtime.set_mocks(
            self, project="small", stack=self.name, preview=preview, monitor=self, organization="organization"
        )
        pulumi.runtime.test(program)()

    def RegisterResource(self, request: Any) -> Any:
        with self._lock:
            self._request = request
            return super().RegisterResource(request)

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        if args.typ.startswith("pulumi:providers:"):
            self._providers[args.name] = self._configured(args)
            return args.name, {}
        if not args.custom:
            return None, args.inputs
        urn = f"urn:pulumi:{self.name}::small::{args.typ}::{args.name}"
        self._seen.add(urn)
        made = self.made.get(urn)
        if made is None and args.resource_id:
            self.made[urn] = made = self._imported(urn, args)
        if made is None and self._preview:
            self._changes[args.name] = "create"
            return args.name, args.inputs
        if made is None:
            self.made[urn] = made = self._made(urn, args)
        elif changed := made.differs(args.inputs, self._request.ignoreChanges):
            self._changes[args.name] = f"update {', '.join(changed)}"
        return made.id, dict(plain(from_struct(made.outputs)))

    def _configured(self, args: MockResourceArgs) -> Provider:
        package = args.typ.rpartition(":")[2]
        cloud = SIMULATED[package]()
        cloud.lasts = 0.0
        provider = Provider(cloud, self._schemas[package], self._ledger)
        texts = {key: it if isinstance(it, str) else json.dumps(it) for key, it in args.inputs.items()}
        urn = f"urn:pulumi:{self.name}::small::{args.typ}::{args.name}"
        request = provider_pb2.ConfigureRequest(urn=urn, id=args.name, args=to_struct(texts))
        provider.Configure(request, Context())
        return provider

    def _made(self, urn: str, args: MockResourceArgs) -> Made:
        provider, self.urn = self._provider(args), urn
        given = {key: value for key, value in args.inputs.items() if key not in self._without}
        request = provider_pb2.CheckRequest(
            urn=urn, news=to_struct(given), randomSeed=f"{args.name}{self._salt}".encode()
        )
        checked = provider.Check(request, Context())
        assert [(args.name, it.property, it.reason) for it in checked.failures] == []
        planned, made = (
            provider.Create(provider_pb2.CreateRequest(urn=urn, properties=checked.inputs, preview=preview), Context())
            for preview in (True, False)
        )
        assert set(planned.properties) <= set(made.properties)
        kept = self._request.retainOnDelete
        return Made(provider, urn, made.id, checked.inputs, made.properties, kept)

    def _imported(self, urn: str, args: MockResourceArgs) -> Made:
        provider = self._provider(args)
        found = provider.Read(provider_pb2.ReadRequest(id=args.resource_id or "", urn=urn), Context())
        made = Made(provider, urn, found.id, found.inputs, found.properties, self._request.retainOnDelete)
        assert made.differs(args.inputs, self._request.ignoreChanges) == []
        return made

    def call(self, args: MockCallArgs) -> Any:
        if args.token == "pulumi:pulumi:readStackOutputs":
            return {}  # as without an engine
        request = provider_pb2.InvokeRequest(tok=args.token, args=to_struct(args.args))
        answer = self._provider(args).Invoke(request, Context())
        return dict(plain(from_struct(getattr(answer, "return"))))

    def _provider(self, args: Any) -> Provider:
        return self._providers[str(args.provider).split("::")[3]]


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]
