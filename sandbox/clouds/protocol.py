"""The engine's protocol modules, imported without the rest of the Pulumi SDK.

`import pulumi` costs 0.3 s, and the providers need only the generated messages: the parent packages are entered as
empty ones unless the SDK is already there.
"""

from __future__ import annotations

import importlib.util
import sys
import types

__all__ = ["engine_pb2", "engine_pb2_grpc", "plugin_pb2", "provider_pb2", "provider_pb2_grpc"]


def _enter_empty_parents() -> None:
    spec = importlib.util.find_spec("pulumi")
    if "pulumi" in sys.modules or spec is None or not spec.submodule_search_locations:
        return
    root = spec.submodule_search_locations[0]
    for name, path in (("pulumi", root), ("pulumi.runtime", f"{root}/runtime")):
        module = types.ModuleType(name)
        module.__path__ = [path]
        sys.modules[name] = module


_enter_empty_parents()

from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc, plugin_pb2, provider_pb2, provider_pb2_grpc  # noqa: E402
