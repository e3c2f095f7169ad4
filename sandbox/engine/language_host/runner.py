"""Runs one Pulumi program or one policy pack, and exits.

Runs in two ways: forked from a process that has the SDK imported, or as a script by the interpreter of another virtual
environment. So it imports only the standard library and, late, pulumi.
"""

from __future__ import annotations

import asyncio
import importlib
import io
import logging
import os
import runpy
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

SHOWN = 32
"""Exit code: it failed, and the user has seen the reason."""


def run_program(data: bytes, engine_address: str) -> int:
    """Run the program of a serialized RunRequest; returns the exit code."""
    import grpc
    import pulumi
    from pulumi.runtime.proto import language_pb2

    request = language_pb2.RunRequest.FromString(data)
    pulumi.runtime.set_all_config(dict(request.config), list(request.configSecretKeys))
    pulumi.runtime.configure(
        pulumi.runtime.Settings(
            project=request.project,
            stack=request.stack,
            monitor=request.monitor_address,
            engine=engine_address or None,
            parallel=request.parallel,
            dry_run=request.dryRun,
            organization=request.organization or "organization",
            root_directory=request.info.root_directory,
        )
    )
    os.chdir(request.pwd)
    # Not resolved: a symbolic link finds the modules beside the link, where the user put it.
    program = Path(os.path.normpath(Path(request.info.program_directory, request.info.entry_point)))
    sys.argv = [str(program), *request.args]

    calls = runpy.run_path(str(Path(__file__).with_name("calls.py")))
    asked: list[str] = calls["watch_calls"](os.environ.get("SANDBOX_CALLS"))

    backend = os.environ.get("PULUMI_BACKEND_URL", "")
    if backend.startswith("file://"):
        _find_stacks(backend.removeprefix("file://"))

    def tell(message: str) -> int:
        with suppress(grpc.RpcError):  # the engine has exited and shows no message
            pulumi.log.error(message)
        return SHOWN

    if program.is_dir():
        if not (program / "__main__.py").exists():
            return tell(f"There is no __main__.py in {program}: a Pulumi program in Python starts there.")
    else:
        sys.path.insert(0, str(program.parent))

    def body() -> None:
        try:
            runpy.run_path(str(program), run_name="__main__")
        except SystemExit as exit:
            if exit.code not in (None, 0):  # sys.exit(0) merely ends the program; its resources are still awaited
                raise

    try:
        _run_in_stack(body, workers=max(request.parallel, 1) * 4)
    except pulumi.RunError as error:
        return tell(str(error))
    except SystemExit as exit:
        return exit.code if isinstance(exit.code, int) else tell(str(exit.code))
    except grpc.RpcError as error:
        # An engine that is shutting down has printed the reason.
        if error.code() == grpc.StatusCode.UNAVAILABLE:
            return SHOWN
        return tell(f"The engine refused a request of the program: {error.details()}")
    except Exception as error:
        return tell("The program failed:\n" + _traceback_of_program(error, program) + _advice(error, asked))
    return 0


def _find_stacks(backend: str) -> None:
    """References to stacks of the state in this folder have its only organization, whatever they name; one to a stack
    that it lacks says how to give its outputs, which the engine's error does not.
    """
    import pulumi

    made = pulumi.StackReference.__init__

    def init(self: Any, name: str, stack_name: Any = None, opts: Any = None) -> None:
        wanted = name if stack_name is None else stack_name
        if isinstance(wanted, str) and wanted.count("/") == 2:
            _, project, stack = wanted.split("/")
            found = f"organization/{project}/{stack}"
            if not any(Path(backend, ".pulumi", "stacks", project).glob(f"{stack}.json*")):
                raise pulumi.RunError(
                    f"The sandbox has no stack {wanted}: give the outputs that the program reads in a scenario, "
                    f"`stacks: {{{found}: {{NAME: VALUE}}}}`, {_WITH_SCENARIO}."
                )
            wanted = found
        made(self, name, wanted, opts)

    pulumi.StackReference.__init__ = init


def run_policy_pack(data: bytes, engine_address: str) -> int:
    """Serve the policy pack of a serialized RunPluginRequest, as `python -u -m pulumi.policy ARGS PACK` does."""
    del engine_address  # the pack finds it among its arguments

    def body(pack: str, args: list[str]) -> None:
        os.chdir(pack)
        sys.path.insert(0, pack)
        sys.argv = ["pulumi.policy", *args, pack]
        runpy.run_module("pulumi.policy", run_name="__main__", alter_sys=True)

    return _run_plugin(data, body)


def run_provider(data: bytes, engine_address: str) -> int:
    """Serve the provider of a serialized RunPluginRequest, as `python FOLDER ARGS` does."""
    del engine_address  # it is among the arguments

    def body(folder: str, args: list[str]) -> None:
        sys.argv = [folder, *args]
        runpy.run_path(folder, run_name="__main__")

    return _run_plugin(data, body)


def _run_plugin(data: bytes, body: Callable[[str, list[str]], None]) -> int:
    """Run a plugin with its folder and arguments, in the environment and working folder of the engine's request."""
    from pulumi.runtime.proto import language_pb2

    request = language_pb2.RunPluginRequest.FromString(data)
    os.environ.clear()
    os.environ.update({name: value for name, _, value in (item.partition("=") for item in request.env) if name})
    os.chdir(request.pwd or request.info.program_directory)
    try:
        body(request.info.program_directory, list(request.args))
    except SystemExit as exit:
        return exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    return 0


KINDS: dict[str, Callable[[bytes, str], int]] = {
    "program": run_program,
    "policy pack": run_policy_pack,
    "provider": run_provider,
}


def run_and_exit(kind: str, data: bytes, engine_address: str, lifeline: int) -> None:
    """Run and exit by `sys.exit`; ends at once if the file behind `lifeline` reaches its end."""
    threading.Thread(target=_die_with, args=(lifeline,), daemon=True).start()
    sys.stdout, sys.stderr = _unbuffered(1), _unbuffered(2)
    # The user's program imports the package from its own environment, not our loaded modules.
    for name in [name for name in sys.modules if name.partition(".")[0] == "gpucluster"]:
        del sys.modules[name]
    sys.exit(KINDS[kind](data, engine_address))


def _unbuffered(descriptor: int) -> io.TextIOWrapper:
    """A stream as opened by `python -u`: a pack writes its port to `sys.stdout.buffer` and never flushes."""
    raw = open(descriptor, "wb", buffering=0, closefd=False)  # noqa: SIM115  # open as long as the process
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)


def _die_with(lifeline: int) -> None:
    with suppress(OSError):
        while os.read(lifeline, 1):
            pass
    os._exit(1)


def _run_in_stack(body: Callable[[], None], workers: int) -> None:
    import pulumi

    # An aborted program leaves futures without a result; asyncio's warnings about them do not help the user.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    executor = ThreadPoolExecutor(max_workers=workers)
    loop.set_default_executor(executor)
    try:
        loop.run_until_complete(pulumi.runtime.run_in_stack(body))
    finally:
        pending: set[asyncio.Task[Any]] = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        executor.shutdown()
        loop.close()


def _traceback_of_program(error: Exception, program: Path) -> str:
    """The traceback from the program's own first line on; the whole traceback if the program is not in it."""
    if isinstance(error, SyntaxError):
        return "".join(traceback.format_exception_only(error))
    folder = program if program.is_dir() else program.parent
    start: TracebackType | None = error.__traceback__
    while start:
        file = Path(start.tb_frame.f_code.co_filename)
        if file.is_relative_to(folder) and not file.is_relative_to(sys.prefix):
            break
        start = start.tb_next
    return "".join(traceback.format_exception(type(error), error, start or error.__traceback__))


_WITH_SCENARIO = "and run `gpucluster sandbox --scenario FILE pulumi ...`"
_CLIENTS = ("azure", "boto", "google", "http", "requests", "socket", "ssl", "urllib")


def _advice(error: BaseException | None, asked: Sequence[str]) -> str:
    """What to do about an error that has its cause in the sandbox; empty for others. asked: hosts."""
    while error is not None:
        client = type(error).__module__.startswith(_CLIENTS) or (asked and isinstance(error, OSError))
        if client and not isinstance(error, FileNotFoundError):
            called, host = (asked[-1], asked[-1]) if asked else ("a cloud", "HOST")
            return (
                f"The program asks {called} itself, not by Pulumi, and has no account there. Answer in a scenario, "
                f"`calls: [{{url: 'https://{host}/*', result: ...}}]`, {_WITH_SCENARIO}."
            )
        if isinstance(error, KeyError) and traceback.extract_tb(error.__traceback__)[-1].filename == "<frozen os>":
            return (
                f"Programs in the sandbox get no variable that may name an account: give {error} a default in the "
                "program, or read it from the stack's configuration."
            )
        if isinstance(error, FileNotFoundError) and error.filename == "pulumi":
            return (
                "The program starts Pulumi itself (automation API), which has no Pulumi in the sandbox: preview the "
                "project that it starts, in its own folder."
            )
        if isinstance(error, ModuleNotFoundError):
            return (
                f"Install the package that has {error.name} in the environment of {sys.executable}, and run it again."
            )
        error = error.__cause__ or error.__context__
    return ""


def _main() -> None:
    """As a script: KIND and engine address are arguments; stdin has the request's length in a line, then the
    request.
    """
    lifeline = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    with os.fdopen(os.dup(lifeline), "rb") as stream:
        data = stream.read(int(stream.readline()))
    try:
        importlib.import_module("pulumi")
    except ImportError as error:
        print(f"{sys.executable} cannot import Pulumi ({error}): install the project's requirements there.")
        sys.exit(1)
    run_and_exit(sys.argv[1], data, sys.argv[2], lifeline)


if __name__ == "__main__":
    _main()
