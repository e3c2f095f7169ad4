"""What runs for a project: its sandbox's servers, controllers and commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

__all__ = ["running_for"]


def running_for(folder: Path) -> Iterator[psutil.Process]:
    """Processes that name a folder in their command line, or run in it, as Karpenter does, which takes no file."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if any(str(folder) in word for word in process.cmdline()) or Path(process.cwd()).is_relative_to(folder):
                yield process
