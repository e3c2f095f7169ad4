"""Deletions and replacements of a plan in an existing stack, as seen by the rules for changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpucluster.program.readers.ended import Ended
from gpucluster.program.resources import Resource, Resources
from gpucluster.record import record


@record(kw_only=True)
class Changes:
    """
    ended: deleted and replaced resources.
    before: the existing stack.
    after: the stack after the update.
    """

    ended: Sequence[Ended]
    before: Resources
    after: Resources

    def gone(self) -> Iterator[tuple[Ended, Resource]]:
        """The ended resources, each in its existing form."""
        for ended in self.ended:
            if (old := self.before.get(ended.urn)) is not None:
                yield ended, old

    def made(self, type_: str) -> Resource | None:
        """The first new resource of a type."""
        return next((new for new in self.after.of_type(type_) if self.before.get(new.urn) is None), None)
