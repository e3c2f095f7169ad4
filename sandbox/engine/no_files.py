"""Disables files that the engine writes into its home.

Its debug log takes a fifth of the CPU of a preview; `pulumi ... --logtostderr -v 9` prints the same content. A schema
that it keeps would lack the types of the next command.
"""

import shutil
from pathlib import Path


def keep_no_files(folder: Path) -> None:
    """Writes a file in place of a folder of the engine, which then runs without it.

    No variable disables the log or the schemas (pkg/v3 3.250.0, logging.StartLogging, schema.loadSchemaBytes).
    """
    if not folder.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.touch()
