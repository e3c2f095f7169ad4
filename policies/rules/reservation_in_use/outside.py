"""The verdict on a reservation, once it is known what starts its machines and whether that takes from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import Resource


def outside(
    reservation: Resource, machine: str, reserved: str, answers: Mapping[str, bool | None]
) -> Iterator[Finding]:
    """Nothing where something takes it, or where nothing starts its machine.

    reserved: what it holds, in words. answers: name of what starts the machine -> whether it takes from the
    reservation; None when that is not known yet.
    """
    if True in answers.values() or not answers:
        return
    names = ", ".join(f"`{name}`" for name in answers)
    if None in answers.values():
        yield CannotTell(reservation, f"whether {names} uses the machines that it reserves is not known yet")
    else:
        yield Violation(reservation, f"{reserved}, and {names} starts {machine} outside of it")
