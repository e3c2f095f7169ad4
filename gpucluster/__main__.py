"""`python -m gpucluster` and the console script run the command `gpucluster`."""

from __future__ import annotations

import sys


def run() -> None:
    """Runs the command; names a package that the environment lacks."""
    try:
        from gpucluster.cli import main
    except ModuleNotFoundError as error:
        from gpucluster.core.environment import lacking
        from gpucluster.errors import Exit

        if not (missing := lacking(error)):
            raise
        print(f"error: {missing}", file=sys.stderr)
        sys.exit(Exit.INPUT)
    main(prog_name="gpucluster")


if __name__ == "__main__":
    run()
