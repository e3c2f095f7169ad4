"""Whether this machine reaches the registries of a plan's charts: `up` downloads them here, with every kind of access.

Sources: OCI distribution specification 1.1, "Determining Support" (/v2/, with 401 for a login that is missing); Helm
documentation, "The Chart Repository Guide" (index.yaml).
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final
from urllib.parse import urlsplit

from gpucluster.core.program.questions import Question
from gpucluster.operate.preflight.answers import Answer, Asker, fine, refused, unknown

ABOUT: Final = "charts"
QUESTION: Final = Question(about=ABOUT, subject="chart registries", place="this machine")
_OCI: Final = "oci://"
_SECONDS: Final = 10
_LONGEST: Final = 256
"""Bytes that are read: a page of a proxy shows in them."""
_FIX: Final = (
    "let this machine reach them by HTTPS, or name a proxy in HTTPS_PROXY; a mirror in access.registry has images only"
)


def addresses(charts: Iterable[tuple[str, str]]) -> list[str]:
    """What to ask for, once for each registry. charts: as `Declared` has them."""
    return sorted({_address(chart, repository) for chart, repository in charts})


def _address(chart: str, repository: str) -> str:
    if chart.startswith(_OCI):
        return f"https://{chart.removeprefix(_OCI).partition('/')[0]}/v2/"
    return f"{repository.rstrip('/')}/index.yaml"


def registry_asker(asked: Callable[[], Sequence[str]]) -> Asker:
    """asked: the addresses, all at once."""

    def ask(questions: Sequence[Question]) -> list[Answer]:
        urls = asked()
        with ThreadPoolExecutor(max_workers=max(1, len(urls))) as pool:
            tried = dict(zip(urls, pool.map(_tried, urls), strict=True))
        return [_answer(one, tried) for one in questions]

    return ask


def _tried(url: str) -> tuple[bool, str]:
    """Whether something answered, and what is wrong; empty for nothing."""
    try:
        # By the proxy of the environment, as Helm.
        with urllib.request.build_opener().open(url, timeout=_SECONDS) as answer:
            page = answer.read(_LONGEST).lstrip().startswith(b"<")
    except urllib.error.HTTPError as error:
        login = error.code == http.client.UNAUTHORIZED and url.endswith("/v2/")
        return True, "" if login else f"answers {error.code}"
    except (OSError, http.client.HTTPException) as error:
        why = getattr(error, "reason", error)
        return False, getattr(why, "strerror", None) or str(why) or type(why).__name__
    return True, "answers with a web page, perhaps of a proxy" if page else ""


def _answer(question: Question, tried: dict[str, tuple[bool, str]]) -> Answer:
    wrong = {url: (answered, why) for url, (answered, why) in tried.items() if why}
    if not wrong:
        return fine(question, f"all {len(tried)} answer")
    found = "; ".join(f"{urlsplit(url).netloc}: {why}" for url, (_, why) in wrong.items())
    verdict = refused if any(answered for answered, _ in wrong.values()) else unknown
    return verdict(question, found, _FIX, f"curl -I {next(iter(wrong))}")
