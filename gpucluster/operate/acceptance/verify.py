"""`gpucluster acceptance verify`: checks the signature of a report, and the logs that it was made from."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from gpucluster.errors import Exit, InputError
from gpucluster.operate.acceptance.signature import check, signature_of, unlisted


@click.command()
@click.argument("report", metavar="REPORT", type=click.Path(path_type=Path), help="Report that was signed.")
@click.argument("logs", metavar="LOG...", nargs=-1, help="Logs that it must have been made from (--format json).")
@click.option("--signature", metavar="FILE", type=click.Path(path_type=Path), help="Signature.  [default: REPORT.sig]")
@click.option(
    "--signers",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Allowed signers, as ssh-keygen(1) defines: lines of a name and a public key.",
)
@click.option("--identity", metavar="NAME", help="Name of the signer in --signers.")
def verify(
    report: Path, logs: Sequence[str], signature: Path | None, signers: Path | None, identity: str | None
) -> None:
    """Check the signature of a report.

    Without --signers it is checked only that one key signed this report; its fingerprint is printed.

    Exit code 1: a log is not one of those that the report was made from. 2: no good signature.
    """
    if (signers is None) != (identity is None):
        raise click.UsageError("--signers and --identity belong together: the list, and the name in it")
    click.echo(check(report, signature or signature_of(report), signers, identity))
    try:
        given = {name: Path(name).read_bytes() for name in logs}
    except OSError as error:
        raise InputError(f"{error.filename} can't be read: {error.strerror}; give a log file") from None
    others = unlisted(report, given) if given else []
    for name in others:
        click.echo(f"{name}: not among the logs of {report}, or changed since")
    sys.exit(Exit.FINDINGS if others else Exit.OK)
