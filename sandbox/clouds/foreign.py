# ruff: noqa: ARG002 - the signatures are those of `Cloud` and `Account`
"""The values of the provider `random`: it uses no cloud, so the sandbox computes them.

Source: pulumi_random 4.21.4, the descriptions of its resources. Pets do not use the provider's word lists, and bcrypt
hashes are not computed."""

from __future__ import annotations

import base64
import secrets
import string
import uuid
from collections.abc import Mapping
from typing import Any, Final

import grpc
from pulumi.runtime.proto import provider_pb2, resource_pb2, resource_pb2_grpc

from gpucluster.sandbox.clouds.cloud import Account, Change, Cloud, CreatedResource, Resource, UnansweredError
from gpucluster.sandbox.clouds.model import random_hex
from gpucluster.sandbox.clouds.outputs import after
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import ResourceType, Schema
from gpucluster.sandbox.clouds.types.sdk_types import DYNAMIC
from gpucluster.sandbox.clouds.types.validate import Failure
from gpucluster.sandbox.clouds.types.values import UNKNOWN, from_struct, plain, to_struct

_SPECIAL: Final = "!@#$%&*()-_=+[]{}<>:?"


def random_values(token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The computed outputs of a new resource of this type; `result` is also its id."""
    match token.rsplit(":", 1)[-1]:
        case "RandomBytes":
            raw = secrets.token_bytes(int(inputs["length"]))
            return {"base64": base64.b64encode(raw).decode(), "hex": raw.hex()}
        case "RandomId":
            return _id(secrets.token_bytes(int(inputs["byteLength"])), str(inputs.get("prefix") or ""))
        case "RandomInteger":
            low, high = int(inputs["min"]), int(inputs["max"])
            return {"result": low + secrets.randbelow(high - low + 1)}
        case "RandomPassword" | "RandomString":
            return {"result": _text(inputs)}
        case "RandomPet":
            words = (
                "".join(secrets.choice(string.ascii_lowercase) for _ in range(5)) for _ in range(_word_count(inputs))
            )
            parts = [*([str(inputs["prefix"])] if inputs.get("prefix") else []), *words]
            return {"result": str(inputs.get("separator") or "-").join(parts)}
        case "RandomShuffle":
            found = list(inputs["inputs"])
            secrets.SystemRandom().shuffle(found)
            return {"results": found[: int(inputs.get("resultCount") or len(found))]}
        case "RandomUuid" | "RandomUuid4":
            return {"result": str(uuid.uuid4())}
        case _:
            return {}


def _word_count(inputs: Mapping[str, Any]) -> int:
    return int(inputs.get("length") or 2)


def _id(raw: bytes, prefix: str) -> dict[str, Any]:
    return {
        "b64Std": prefix + base64.b64encode(raw).decode(),
        "b64Url": prefix + base64.urlsafe_b64encode(raw).decode().rstrip("="),
        "dec": f"{prefix}{int.from_bytes(raw, 'big')}",
        "hex": prefix + raw.hex(),
    }


def _text(inputs: Mapping[str, Any]) -> str:
    """A text of the requested length, with the minimum number of each kind of character."""
    kinds = {
        "Lower": (string.ascii_lowercase, inputs.get("lower")),
        "Upper": (string.ascii_uppercase, inputs.get("upper")),
        "Numeric": (string.digits, inputs.get("numeric", inputs.get("number"))),
        "Special": (str(inputs.get("overrideSpecial") or _SPECIAL), inputs.get("special")),
    }
    allowed = {kind: characters for kind, (characters, wanted) in kinds.items() if wanted is not False}
    least = [secrets.choice(allowed[kind]) for kind in allowed for _ in range(int(inputs.get(f"min{kind}") or 0))]
    rest = [secrets.choice("".join(allowed.values())) for _ in range(int(inputs["length"]) - len(least))]
    found = [*least, *rest]
    secrets.SystemRandom().shuffle(found)
    return "".join(found)


class ForeignCloud(Cloud):
    """Accepts any configuration: only the provider itself can validate it."""

    checked = False

    def __init__(self, package: str) -> None:
        self.package = package

    def resource_type(self, schema: Schema, token: str) -> ResourceType | None:
        """A resource that the program defines itself accepts any properties."""
        return ResourceType(token, {}, {}, open=True) if self.package == DYNAMIC else schema.resource_type(token)

    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        return _ForeignAccount(ledger, self.package)


class _ForeignAccount(Account):
    """All resources of a package, in one scope."""

    def __init__(self, ledger: Ledger, package: str) -> None:
        super().__init__(ledger)
        self._package = package
        if package != "random":
            self.remark = (
                f"the sandbox has no simulation of the provider {package!r}: its resources are kept as its SDK "
                "declares them, nothing of it is run, and what it would compute is unknown, empty or made up"
            )

    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        return self._package

    def failures(self, resource: Resource) -> list[Failure]:
        # Only the provider knows inputs beyond its schema, such as a text for an object.
        return []

    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        return dict(resource.inputs)

    def replaces(self, resource: Resource, change: Change) -> bool | None:
        # A change of `keepers` or any other input requires a new random value.
        return True if self._package == "random" else None

    def known(self, resource: Resource) -> Mapping[str, Any]:
        return {}

    def create(self, resource: Resource) -> CreatedResource:
        id_ = random_hex(12)
        if self._package != "random":
            return CreatedResource(id=id_, name="", outputs={})
        values = random_values(resource.token, plain(resource.inputs))
        return CreatedResource(id=str(values.get("result", id_)), name="", outputs=values)

    def update(self, resource: Resource) -> CreatedResource:
        return CreatedResource(id=resource.id, name="", outputs={})

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        raise UnansweredError(token)


def construct(request: Any, type_: ResourceType) -> Any:
    """Registers only the component; its outputs are unknown in a preview, and empty after an update."""
    with grpc.insecure_channel(request.monitorEndpoint) as channel:
        monitor: Any = resource_pb2_grpc.ResourceMonitorStub(channel)
        wanted = resource_pb2.RegisterResourceRequest(
            type=request.type,
            name=request.name,
            parent=request.parent,
            custom=False,
            object=request.inputs,
            acceptSecrets=True,
            aliasURNs=request.aliases,
        )
        urn: str = monitor.RegisterResource(wanted).urn
        inputs = from_struct(request.inputs)
        resource = Resource(urn=urn, type=type_, inputs=inputs)
        outputs: dict[str, Any] = dict.fromkeys(type_.outputs, UNKNOWN) if request.dryRun else after(resource, {})
        state = to_struct(outputs)
        monitor.RegisterResourceOutputs(resource_pb2.RegisterResourceOutputsRequest(urn=urn, outputs=state))
    return provider_pb2.ConstructResponse(urn=urn, state=state)
