"""`sandbox`: the real Pulumi engine against simulated clouds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from gpucluster.errors import InputError
from gpucluster.sandbox import disk
from gpucluster.sandbox.api_server.cli import kubernetes
from gpucluster.sandbox.doctor import doctor
from gpucluster.sandbox.engine.cli import engine
from gpucluster.sandbox.engine.model import EngineError
from gpucluster.sandbox.kubectl import kubectl
from gpucluster.sandbox.recovery.recover import recover
from gpucluster.sandbox.reset import reset
from gpucluster.sandbox.status import status
from gpucluster.textio.terminal import Program

__all__ = ["main"]

_USER_INPUT = 2
_OUR_FAULT = 3


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gpucluster", prog_name="sandbox")
@click.option(
    "--scenario",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What was there before the stack, and which operations last or fail (docs/scenarios.md); for `pulumi`.",
)
@click.option(
    "--kubernetes",
    type=click.Choice(["simulated", "real"]),
    default="simulated",
    help="Who judges Kubernetes objects in `pulumi`: the simulation, or a real API server on loopback.",
)
@click.pass_context
def cli(context: click.Context, scenario: Path | None, kubernetes: str) -> None:
    """Run the real Pulumi engine against simulated clouds: no account, no network, nothing billed."""
    context.obj = {"scenario": scenario, "real_kubernetes": kubernetes == "real"}


@cli.command(
    name="pulumi",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def pulumi(options: dict[str, Any], args: tuple[str, ...]) -> None:
    """Run any Pulumi command, as in `gpucluster sandbox pulumi preview --stack NAME`; its exit code is ours.

    Where the program refuses what its user wrote, and says so by the file SANDBOX_INPUT_ERROR, it is 2.

    State and ledger live under .sandbox/ of the project. Stack files are read, never written: `-c key=value` lasts for
    one run.
    """
    from gpucluster.sandbox.run import run

    sys.exit(run(args, **options))


cli.add_command(status)
cli.add_command(recover)
cli.add_command(reset)
cli.add_command(engine)
cli.add_command(kubernetes)
cli.add_command(kubectl)
cli.add_command(doctor)


def main() -> None:
    """The console script: errors become one message and an exit code."""
    try:
        cli.main(standalone_mode=False)
    except InputError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(_USER_INPUT)
    except EngineError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(_OUR_FAULT)
    except click.ClickException as error:
        error.show()
        sys.exit(_USER_INPUT)
    except click.Abort:
        sys.exit(130)
    except OSError as error:
        if not disk.cause(error):
            raise
        click.echo(f"error: {disk.cause(error)}", err=True)
        sys.exit(_USER_INPUT)


if __name__ == "__main__":
    main()
