"""Launchers in the place of provider plugins."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from gpucluster.sandbox.clouds.events.scenario import Scenario
from gpucluster.sandbox.clouds.launcher import SOCKET_VARIABLE
from gpucluster.sandbox.clouds.resident import Resident, install_launchers
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.sdk_types import Sdk, installed_sdks, site_packages
from tests.says import Says
from tests.waiting import LIMIT

SDKS = {"aws": Sdk("aws", "7.51.1", Path("/nowhere"))}


def test_each_sdk_gets_a_launcher_of_its_version_and_others_are_removed(tmp_path: Path) -> None:
    (tmp_path / "plugins" / "resource-gcp-v1.0.0").mkdir(parents=True)
    (tmp_path / "plugins" / "language-python-v1").mkdir()
    # Of an earlier command.
    (tmp_path / "plugins" / "schema-aws-7.51.1-.json").touch()
    install_launchers(tmp_path, SDKS)
    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*")) == [
        "plugins",
        "plugins/language-python-v1",
        "plugins/resource-aws-v7.51.1",
        "plugins/resource-aws-v7.51.1/pulumi-resource-aws",
    ]
    launcher = tmp_path / "plugins" / "resource-aws-v7.51.1" / "pulumi-resource-aws"
    assert os.access(launcher, os.X_OK)
    written = launcher.stat().st_mtime_ns
    install_launchers(tmp_path, SDKS)
    assert launcher.stat().st_mtime_ns == written


def test_the_launcher_of_an_earlier_version_stays_for_stacks_that_stand(tmp_path: Path) -> None:
    install_launchers(tmp_path, {"aws": Sdk("aws", "7.50.0", Path("/nowhere"))})
    install_launchers(tmp_path, SDKS)
    launchers = sorted(tmp_path.glob("plugins/*/pulumi-resource-aws"))
    assert [file.parent.name for file in launchers] == ["resource-aws-v7.50.0", "resource-aws-v7.51.1"]


def test_a_program_that_brings_its_own_sdk_finds_a_launcher_of_any_version_too(tmp_path: Path) -> None:
    install_launchers(tmp_path, SDKS, any_version=True)
    launchers = sorted(tmp_path.glob("plugins/*/pulumi-resource-aws"))
    assert [file.parent.name for file in launchers] == ["resource-aws-v7.51.1", "resource-aws-v999.0.0"]
    assert len({file.read_text() for file in launchers}) == 1


def launcher(tmp_path: Path) -> str:
    install_launchers(tmp_path, SDKS)
    return str(tmp_path / "plugins" / "resource-aws-v7.51.1" / "pulumi-resource-aws")


def test_a_launcher_prints_the_port_it_is_given_and_ends_with_the_resident(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as resident:
        resident.bind(str(tmp_path / "s"))
        resident.listen()
        env = {**os.environ, SOCKET_VARIABLE: str(tmp_path / "s")}
        process = subprocess.Popen([launcher(tmp_path)], env=env, stdout=subprocess.PIPE, text=True)
        connection, _ = resident.accept()
        with connection, connection.makefile() as requests:
            assert requests.readline() == "aws\n"
            connection.sendall(b"4711\n")
            assert process.stdout is not None
            assert process.stdout.readline() == "4711\n"
            assert process.poll() is None
    assert process.wait(LIMIT) == 0


def test_outside_the_sandbox_a_launcher_says_where_it_belongs(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != SOCKET_VARIABLE}
    done = subprocess.run([launcher(tmp_path)], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "the simulated provider aws runs only under `gpucluster sandbox pulumi`\n"
    assert sys.executable in Path(launcher(tmp_path)).read_text()


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
