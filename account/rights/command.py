"""`gpucluster rights`."""

from __future__ import annotations

from typing import TextIO

import click

from gpucluster.account.rights.documents import documents_of
from gpucluster.errors import Exit
from gpucluster.options import output, plan_argument
from gpucluster.program.readers.files import read_text
from gpucluster.textio.json_text import indented


@click.command()
@plan_argument(default="-")
@output
def rights(file: TextIO, output: TextIO) -> None:
    """Write the least rights that `up` needs.

    As each cloud takes it: policies, all for one role; predefined roles, with the types that each is for; or a role
    definition. They let make, read, change and delete every type of the plan, and nothing else. Rights inside of the
    cluster are given by the cluster (docs/access.md).

    Exit code 1: a type whose rights no source tells, which is named.
    """
    found = documents_of(read_text(file.read(), "stdin" if file.name == "<stdin>" else file.name))
    output.write(indented({**found.clouds, "unknown": list(found.unknown)}))
    for type_ in found.unknown:
        click.echo(f"not known: what {type_} asks for; find it out, and allow it besides", err=True)
    if found.unknown:
        raise SystemExit(Exit.FINDINGS)
