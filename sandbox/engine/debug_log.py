"""The engine's own debug log, which no command of the sandbox keeps: it takes a fifth of the CPU of a preview.

`pulumi ... --logtostderr -v 9` prints what it would hold.
"""

import shutil
from pathlib import Path


def keep_no_log(folder: Path) -> None:
    """Puts a file where the engine makes its folder of logs, without which it goes on.

    No variable turns the log off (pkg/v3 3.250.0, logging.StartLogging).
    """
    if not folder.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.touch()
