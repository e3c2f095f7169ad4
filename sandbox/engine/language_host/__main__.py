"""Serves until stdin ends.

`python -P -m gpucluster.sandbox.engine.language_host [... ENGINE_ADDRESS]` prints its port.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import types
from pathlib import Path


def main() -> None:
    """Print the port, then serve until the parent process exits (it holds our stdin) or requests a stop."""
    from gpucluster.sandbox.engine.language_host import children

    # An engine stops us by a signal to our whole process group; our child processes must not print a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    children.warm_up()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, _stop)
    _import_messages_only()
    from gpucluster.sandbox.engine.language_host.server import serve

    server, port = serve(engine_address=sys.argv[-1] if len(sys.argv) > 1 else None)
    print(port, flush=True)
    while os.read(0, 4096):
        pass
    del server
    # Children detect our end by their lifelines; nothing here needs a slower shutdown.
    os._exit(0)


def _stop(number: int, frame: types.FrameType | None) -> None:
    del number, frame
    os._exit(0)


def _import_messages_only() -> None:
    """Make `pulumi.runtime.proto` importable without the SDK around it.

    The host needs only the messages; the warm process imports the SDK, which takes 0.3 s, at the same time.
    """
    spec = importlib.util.find_spec("pulumi")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("pulumi is not installed")
    root = Path(spec.submodule_search_locations[0])
    for name, folder in (("pulumi", root), ("pulumi.runtime", root / "runtime")):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


if __name__ == "__main__":
    main()
