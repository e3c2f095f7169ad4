"""Why an account can't be asked."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager


class CannotAsk(Exception):
    """A question, or a whole account, that can't be asked. fix: what to do. command: that does it."""

    def __init__(self, reason: str, fix: str = "", command: str = "") -> None:
        super().__init__(reason)
        self.reason, self.fix, self.command = reason, fix, command


@contextmanager
def explaining(explained: Callable[[Exception], CannotAsk | None]) -> Generator[None]:
    """Raises CannotAsk in place of an exception of a cloud's SDK. explained: what it means; None if it is no answer of
    the cloud.
    """
    try:
        yield
    except CannotAsk:
        raise
    except Exception as error:
        why = explained(error)
        if why is None:
            raise
        raise why from error
