"""The clouds of one run, as launchers find them."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any, NoReturn

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from gpucluster.sandbox.clouds.events.scenario import Scenario
from gpucluster.sandbox.clouds.resident import Resident
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from tests.says import Says


def test_the_trace_of_a_fault_of_ours_is_in_the_log(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> NoReturn:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("gpucluster.sandbox.clouds.provider.package_schema", fail)
    log = tmp_path / "clouds.log"
    sdks = {"kubernetes": installed_sdks(site_packages(None))["kubernetes"]}
    with (
        Resident(tmp_path / "socket", sdks, ledger, log, Scenario()) as clouds,
        socket.socket(socket.AF_UNIX) as launcher,
    ):
        clouds.start()
        launcher.connect(str(tmp_path / "socket"))
        launcher.sendall(b"kubernetes\n")
        port = int(launcher.makefile().readline())
        assert not log.exists()
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            provider: Any = provider_pb2_grpc.ResourceProviderStub(channel)
            with pytest.raises(grpc.RpcError, match="oops"):
                provider.GetSchema(provider_pb2.GetSchemaRequest())
    assert log.read_text() == Says("Traceback", "in fail", "ZeroDivisionError: oops")
