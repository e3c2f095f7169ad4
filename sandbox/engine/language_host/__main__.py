"""Serves until stdin ends.

`python -P -m gpucluster.sandbox.engine.language_host [... ENGINE_ADDRESS]` prints its port.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import ExitStack
from typing import NoReturn


def main() -> None:
    """Print the port, then serve until the parent process exits (it holds our stdin) or requests a stop."""
    from gpucluster.core.light_import import install_empty_sdk
    from gpucluster.sandbox.engine.language_host import children
    from gpucluster.sandbox.machine.disk import scratch_folder

    # An engine stops us by a signal to our whole process group; our child processes must not print a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ending = ExitStack()
    children.warm_up(ending.enter_context(scratch_folder()))

    def stop(*_: object) -> NoReturn:
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.SIG_IGN)
        ending.close()
        # Children detect our end by their lifelines; nothing here needs a slower shutdown.
        os._exit(0)

    woken = _wake_up_by_signals()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, stop)
    # The host needs only the messages; the warm process imports the SDK at the same time.
    install_empty_sdk()
    from gpucluster.sandbox.engine.language_host.server import serve

    server, port = serve(engine_address=sys.argv[-1] if len(sys.argv) > 1 else None)
    print(port, flush=True)
    while 0 not in select.select([0, woken], [], [])[0] or os.read(0, 4096):
        pass
    del server
    stop()


def _wake_up_by_signals() -> int:
    """A file that is readable after a signal.

    Python runs a handler between two of its instructions: a read alone would sleep on if the signal came just before
    it, or to another thread.
    """
    woken, signalled = os.pipe()
    os.set_blocking(signalled, False)
    signal.set_wakeup_fd(signalled)
    return woken


if __name__ == "__main__":
    main()
