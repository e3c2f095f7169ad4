"""The finding on a reservation, given the resources that start its machines and whether they use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import Resource


def outside(
    reservation: Resource, machine: str, reserved: str, answers: Mapping[str, bool | None]
) -> Iterator[Finding]:
    """Nothing if it is used, or if nothing starts its machine.

    reserved: its contents, in words. answers: name of the resource that starts the machine -> whether it uses the
    reservation; None if unknown before the update.
    """
    if True in answers.values() or not answers:
        return
    names = ", ".join(f"`{name}`" for name in answers)
    if None in answers.values():
        yield CannotTell(reservation, f"whether {names} uses the machines that it reserves is not known yet")
    else:
        yield Violation(reservation, f"{reserved}, and {names} starts {machine} outside of it")
