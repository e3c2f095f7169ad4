"""What a plan takes away from a standing stack, as the rules about change see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpucluster.program.readers.ended import Ended
from gpucluster.program.resources import Resource, Resources
from gpucluster.record import record


@record(kw_only=True)
class Changes:
    """
    ended: what is deleted or replaced.
    before: the stack as it stands.
    after: the stack as it will be.
    """

    ended: Sequence[Ended]
    before: Resources
    after: Resources

    def gone(self) -> Iterator[tuple[Ended, Resource]]:
        """What ends, with the resource as it stands."""
        for ended in self.ended:
            if (old := self.before.get(ended.urn)) is not None:
                yield ended, old

    def made(self, type_: str) -> Resource | None:
        """The first resource of a type that was not there before."""
        return next((new for new in self.after.of_type(type_) if self.before.get(new.urn) is None), None)
