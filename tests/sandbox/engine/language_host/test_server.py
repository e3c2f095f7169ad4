from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import language_pb2, language_pb2_grpc

from gpucluster.sandbox.engine.language_host.server import serve


@pytest.fixture
def host() -> Iterator[Any]:
    """A client of a language host in this process."""
    server, port = serve(engine_address=None)
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield language_pb2_grpc.LanguageRuntimeStub(channel)
    server.stop(None)


def info(root: str, virtualenv: str | None = None) -> language_pb2.ProgramInfo:
    options = struct_pb2.Struct()
    if virtualenv:
        options["virtualenv"] = virtualenv
    return language_pb2.ProgramInfo(root_directory=root, program_directory=root, entry_point=".", options=options)


def test_the_host_has_the_version_of_the_sdk(host: Any) -> None:
    assert host.GetPluginInfo(empty_pb2.Empty()).version == version("pulumi")


def test_the_host_names_the_interpreter_of_the_program(host: Any, tmp_path: Any) -> None:
    about = host.About(language_pb2.AboutRequest(info=info(str(tmp_path))))
    assert (about.executable, about.version) == (sys.executable, platform.python_version())


def test_nothing_is_installed_and_that_is_said(host: Any, tmp_path: Any) -> None:
    answers = list(host.InstallDependencies(language_pb2.InstallDependenciesRequest(info=info(str(tmp_path)))))
    text = f"Nothing to install: programs run on {sys.executable} with its installed packages.\n"
    assert answers == [language_pb2.InstallDependenciesResponse(stdout=text.encode())]


def test_dependencies_are_the_installed_packages_and_on_request_those_they_need(host: Any, tmp_path: Any) -> None:
    def names(transitive: bool) -> set[str]:
        request = language_pb2.GetProgramDependenciesRequest(
            info=info(str(tmp_path)), transitiveDependencies=transitive
        )
        return {one.name for one in host.GetProgramDependencies(request).dependencies}

    # pulumi-kubernetes needs pulumi, and pulumi needs grpcio.
    assert {"pulumi", "grpcio"} <= names(transitive=True)
    assert not {"pulumi", "grpcio"} & names(transitive=False)


def test_another_kind_of_plugin_is_refused(host: Any, tmp_path: Any) -> None:
    request = language_pb2.RunPluginRequest(info=info(str(tmp_path)), kind="converter")
    with pytest.raises(grpc.RpcError) as caught:
        list(host.RunPlugin(request))
    assert (caught.value.code(), caught.value.details()) == (
        grpc.StatusCode.UNIMPLEMENTED,
        'only policy packs and providers can be started, not a "converter"',
    )


def test_a_provider_runs_in_its_environment_with_its_arguments_from_the_folder_that_is_said(
    host: Any, tmp_path: Any
) -> None:
    package, started_in = tmp_path / "package", tmp_path / "project"
    package.mkdir()
    started_in.mkdir()
    program = "import json, os, sys; print(json.dumps([sys.argv, os.getcwd(), dict(os.environ)])); sys.exit(3)"
    (package / "__main__.py").write_text(program)
    request = language_pb2.RunPluginRequest(
        info=info(str(package)), kind="resource", pwd=str(started_in), args=["127.0.0.1:1"], env=["PULUMI_HOME=/home"]
    )
    answers = list(host.RunPlugin(request))
    argv, folder, environment = json.loads(b"".join(answer.stdout for answer in answers))
    assert (argv, folder, answers[-1].exitcode) == ([str(package), "127.0.0.1:1"], str(started_in), 3)
    assert environment["PULUMI_HOME"] == "/home"
    assert "PATH" not in environment


@pytest.mark.engine
def test_pulumi_about_works(project: Any) -> None:
    project.write({"__main__.py": ""})
    code, text = project.pulumi("about", "--json")
    about = json.loads(text)
    assert (code, about["runtime"]["executable"], about["errors"]) == (0, sys.executable, [])
