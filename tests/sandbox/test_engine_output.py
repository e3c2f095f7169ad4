"""Messages are printed once in a pipe."""

from __future__ import annotations

import pytest

from gpucluster.sandbox.engine_output import without_echoes

OUTPUT = b"""\
Previewing update (dev):

    pulumi:pulumi:Stack tiny-dev  info: line 1 of table
    pulumi:pulumi:Stack tiny-dev running line 1 of table
    pulumi:pulumi:Stack tiny-dev    line 2  $1,000.00
 +  pulumi:pulumi:Stack tiny-dev create line 4 total
 +  pulumi:pulumi:Stack tiny-dev creating (3s) line 4 total
 +  pulumi:pulumi:Stack tiny-dev create
 +  aws:ec2:Vpc net create
    aws:ec2:Vpc net  error: something
 ~  pulumi:pulumi:Stack tiny-dev **updating failed** 1 error; 3 messages
 +  pulumi:pulumi:Stack tiny-dev created (0.16s) 1 message
Diagnostics:
  pulumi:pulumi:Stack (tiny-dev):
    line 1 of table
      line 2  $1,000.00
    line 4 total
"""
KEPT = b"""\
Previewing update (dev):

 +  pulumi:pulumi:Stack tiny-dev create
 +  aws:ec2:Vpc net create
    aws:ec2:Vpc net  error: something
 ~  pulumi:pulumi:Stack tiny-dev **updating failed** 1 error; 3 messages
 +  pulumi:pulumi:Stack tiny-dev created (0.16s) 1 message
Diagnostics:
  pulumi:pulumi:Stack (tiny-dev):
    line 1 of table
      line 2  $1,000.00
    line 4 total
"""


def coloured(text: bytes) -> bytes:
    return text.replace(b"pulumi:pulumi", b"\x1b[1mpulumi:pulumi").replace(b" create", b" \x1b[38;5;2mcreate\x1b[0m")


@pytest.mark.parametrize("colour", [bytes, coloured])
def test_echoes_of_messages_are_dropped_and_nothing_else(colour: type[bytes]) -> None:
    kept = without_echoes(colour(OUTPUT).splitlines(keepends=True))
    assert b"".join(kept) == colour(KEPT)


def test_a_document_with_urns_of_the_stack_is_left_alone() -> None:
    lines = [b'    "urn": "urn:pulumi:dev::x::pulumi:pulumi:Stack::x-dev",\n', b'     "type": "pulumi:pulumi:Stack",\n']
    assert list(without_echoes(lines)) == lines
