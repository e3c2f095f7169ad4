"""Documents over HTTP: retries busy servers, rejects incomplete responses."""

from __future__ import annotations

import csv
import hashlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from gpucluster.core.program.values import is_object
from gpucluster.errors import Fault

Say = Callable[[str], None]
"""Receives a line of progress."""

_TRIES: Final = 6
_REACHED_WITHIN: Final = 2.0
"""Seconds to resolve a name and open a port, so that an offline user does not wait longer."""
_LONGEST_WAIT: Final = 120
"""Maximum of a server's Retry-After in seconds; a longer one is an error."""
_TIMEOUT: Final = (10, 60)
"""Seconds to connect, and between two parts of a response."""
_BUSY: Final = (429, 500, 502, 503, 504)
_REMARK_SECONDS: Final = 10


class SourceFailed(Fault):
    """A live price list cannot be read, or its format has changed; none of it is used."""


class Web:
    """Reads documents and caches them in `folder` for `max_age` seconds, so that a run after a dry run reuses them.

    folder: None disables the cache. backoff: seconds before the second attempt, doubled for each further one.
    """

    def __init__(self, say: Say, *, folder: Path | None = None, max_age: float = 0, backoff: float = 1) -> None:
        self.say = say
        self._folder, self._max_age = folder, max_age
        self._reached: set[tuple[str, int]] = set()
        retry = Retry(
            total=_TRIES - 1,
            connect=1,
            status_forcelist=_BUSY,
            backoff_factor=backoff,
            retry_after_max=_LONGEST_WAIT,
            raise_on_status=False,
        )
        self._session = requests.Session()
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=retry))

    def document(self, url: str, params: Mapping[str, str] | None = None, *, key: str = "") -> Mapping[str, Any]:
        """A JSON object; its numbers are Decimal. key: an API key, sent as a header so that it is in no address.

        Raises SourceFailed.
        """
        name = f"{url}?{sorted((params or {}).items())}"
        kept = self.kept(name)
        if kept is None:
            kept = self._fetched(url, params, key)
            self.keep(name, kept)
        found = json.loads(kept, parse_float=Decimal)
        if not is_object(found):
            raise SourceFailed(f"{url}: the answer is not a JSON object; its shape has changed")
        return found

    def _fetched(self, url: str, params: Mapping[str, str] | None, key: str) -> str:
        """The text of a complete JSON document; a truncated one is requested once more."""
        headers = {"X-Goog-Api-Key": key} if key else {}
        problem = ""
        for _ in range(2):
            with self._asked(url, params=params, headers=headers) as response:
                try:
                    text = response.content.decode()
                    json.loads(text)
                except (requests.RequestException, ValueError) as error:
                    problem = f"{url}: the answer is not complete JSON ({_reason(error)})"
                    continue
                return text
        raise SourceFailed(problem)

    def rows(self, url: str, *, skip: int) -> Iterator[list[str]]:
        """Lines of a CSV file as they arrive, without the first `skip`. Raises SourceFailed, also midway."""
        began, size = time.monotonic(), 0

        def lines(response: requests.Response) -> Iterator[str]:
            nonlocal began, size
            for line in response.iter_lines(chunk_size=1 << 20):
                size += len(line) + 1
                if time.monotonic() - began > _REMARK_SECONDS:
                    began = time.monotonic()
                    self.say(f"  {size / 1e6:,.0f} MB of {url}")
                yield line.decode()

        try:
            with self._asked(url, stream=True) as response:
                for number, row in enumerate(csv.reader(lines(response))):
                    if number >= skip:
                        yield row
        except (requests.RequestException, UnicodeDecodeError, csv.Error) as error:
            raise SourceFailed(f"{url}: the file breaks off ({_reason(error)})") from None

    def _reach(self, url: str) -> None:
        """Raises SourceFailed if neither the server nor its proxy can be reached in time."""
        proxy = requests.utils.select_proxy(url, requests.utils.get_environ_proxies(url))
        parts = urlsplit(proxy or url)
        place = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        if place in self._reached:
            return
        why = _unreachable(place)
        if why:
            through = f"the proxy {place[0]}" if proxy else place[0]
            raise SourceFailed(f"{url}: {through} cannot be reached ({why}); check the network, or set HTTPS_PROXY")
        self._reached.add(place)

    def _asked(self, url: str, **options: Any) -> requests.Response:
        self._reach(url)
        try:
            response = self._session.get(url, timeout=_TIMEOUT, **options)
        except requests.RequestException as error:
            raise SourceFailed(f"{url}: {_reason(error)}") from None
        if response.status_code != 200:
            waits = f", and asks to wait {wait} s" if (wait := response.headers.get("Retry-After")) else ""
            tries = f" after {_TRIES} tries" if response.status_code in _BUSY else ""
            raise SourceFailed(f"{url}: the server answers {response.status_code} {response.reason}{waits}{tries}")
        return response

    def kept(self, name: str) -> str | None:
        """The cached text of a name, unless too old."""
        path = self._path(name)
        try:
            if path is not None and time.time() - path.stat().st_mtime <= self._max_age:
                return path.read_text(encoding="utf-8")
        except OSError:
            pass  # missing or unreadable: request it again
        return None

    def keep(self, name: str, text: str) -> None:
        """Caches a text, atomically."""
        path = self._path(name)
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part")
            part.write_text(text, encoding="utf-8")
            part.replace(path)
        except OSError as error:
            self.say(f"  not kept in {path.parent}: {error.strerror}")
            self._folder = None

    def _path(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{hashlib.sha256(name.encode()).hexdigest()}.txt"


def _unreachable(place: tuple[str, int]) -> str:
    """Why no connection opens in time, or nothing. In a thread: name resolution cannot be cancelled otherwise."""
    why: list[str] = []

    def connect() -> None:
        try:
            socket.create_connection(place, timeout=_REACHED_WITHIN).close()
            why.append("")
        except OSError as error:
            why.append(error.strerror or str(error))

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    thread.join(_REACHED_WITHIN)
    return why[0] if why else f"no answer within {_REACHED_WITHIN:g} s"


def _reason(error: Exception) -> str:
    """The reason in one line, without the address, which the message already has."""
    if not isinstance(error, requests.RequestException) or not error.args:
        return " ".join(str(error).split())
    text = " ".join(str(getattr(error.args[0], "reason", error.args[0])).split())
    return text.rpartition(": ")[2] or type(error).__name__
