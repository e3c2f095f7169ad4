"""Text that is certainly a secret: by its vendor's format, or by its name.

The formats are those of detect-secrets (Yelp), without its heuristic detectors, plus missing ones: Kubernetes
client-go, `tools/clientcmd/api/v1` (client-key-data); GitHub documentation, "About authentication" (github_pat_);
Hugging Face documentation, "User access tokens" (hf_); trufflehog, `pkg/detectors/nvapi` (NGC). A name that ends in
password, token or key indicates a secret if the value is purely random. Text is read as it is, and again after
decoding base64 and gzip.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import math
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Final

from gpucluster.core.program.values import is_list, is_object

_KINDS: Final[Mapping[str, re.Pattern[str]]] = {
    "a GitHub token": re.compile(r"github_pat_[A-Za-z0-9_]{80,}"),
    "a Hugging Face token": re.compile(r"hf_[A-Za-z0-9]{34}\b"),
    "an NGC key": re.compile(r"\bnvapi-[A-Za-z0-9_-]{64}(?![A-Za-z0-9_-])"),
    "the key of a Kubernetes user": re.compile(r"client-key-data\\?\"?:\s*\\?\"?[A-Za-z0-9+/=]{40}"),
}
_AWS: Final = "an AWS access key"
_PASSWORD: Final = "a password in an address"
_DETECTORS: Final[Mapping[str, tuple[str, str]]] = {
    "aws.AWSKeyDetector": (_AWS, r"A3T|ABIA|ACCA|AKIA|ASIA|(?i:aws.{0,20}(?:key|pw|pass|token))"),
    "azure_storage_key.AzureStorageKeyDetector": ("the key of an Azure storage account", "AccountKey="),
    "basic_auth.BasicAuthDetector": (_PASSWORD, r"://[^/@:\s]+:[^/@\s]+@"),
    "github_token.GitHubTokenDetector": ("a GitHub token", "gh[oprsu]_"),
    "gitlab_token.GitLabTokenDetector": (
        "a GitLab token",
        "gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-|GR1348941",
    ),
    "jwt.JwtTokenDetector": ("a JSON web token", "eyJ"),
    "npm.NpmDetector": ("an npm token", "_authToken="),
    "openai.OpenAIDetector": ("an OpenAI token", "T3BlbkFJ"),
    "private_key.PrivateKeyDetector": ("a private key", "PRIVATE KEY|PuTTY-User-Key"),
    "pypi_token.PypiTokenDetector": ("a PyPI token", "pypi-AgE"),
    "sendgrid.SendGridDetector": ("a SendGrid key", r"SG\."),
    "slack.SlackDetector": ("a Slack token", r"(?i:xox[abprso]-|hooks\.slack\.com)"),
    "square_oauth.SquareOAuthDetector": ("a Square secret", "sq0csp-"),
    "stripe.StripeDetector": ("a Stripe key", "k_live_"),
    "telegram_token.TelegramBotTokenDetector": ("a Telegram token", r"\d{8}:[0-9A-Za-z_-]{35}"),
}
"""Detector -> kind of secret, and a mark that every text with a match contains."""
_MARK: Final = re.compile("|".join(mark for _, mark in _DETECTORS.values()))
"""Searched first, to avoid the detectors in most previews: their import takes as long as all rules together."""
_NAMED: Final = re.compile(
    r"(?:passw(?:or)?d|token|secret|credential|(?:api|access|account|storage)[_-]?key)s?[\"']?(?:\s{0,3}[=:]|\s)\s{0,3}"
    r"[\"']?([A-Za-z0-9+_.~-][A-Za-z0-9+/=_.~-]{19,})",
    re.IGNORECASE,
)
_NAMES: Final = ("passw", "token", "secret", "credential", "key")
"""Words in each such name; searching for them first takes a hundredth of the time."""
_UNDER_A_NAME: Final = "a value that only a key or token has"
_ENCODED: Final = r"(?:[A-Za-z0-9+/]{40,}\r?\n?[ \t]*)+[A-Za-z0-9+/]*={0,2}"
_POSSIBLE: Final = re.compile(r"[A-Za-z0-9+/=_.~-]{16}|://|PRIVATE KEY")
"""Present in every text with a secret: 16 characters without a break, an address with a password, or the first line of
a key. Searched first, so that short labels skip all other formats.
"""
_PLACEHOLDER: Final = r"(?i)[$<%*]|pass(word)?$|secret$|x+$|changeme$"
_GZIP: Final = b"\x1f\x8b"
_MANY: Final = 64
"""Number of texts of one place that are first read as one: separately, 40,000 take a second."""
_MOST: Final = 1 << 20
"""Maximum bytes to decompress; start scripts of all clouds are far smaller."""


def secrets_in(value: object) -> Iterator[str]:
    """Kinds of secrets in a value, at any depth."""
    yield from dict.fromkeys(kind for _, kind in places_with_secrets(value, ""))


def places_with_secrets(value: object, place: str) -> Iterator[tuple[str, str]]:
    """(place, kind) of the secrets below a value."""
    texts = [(inner, text) for inner, text in texts_in(value, place) if _POSSIBLE.search(text)]
    if len(texts) > _MANY and not _read("\n;\n".join(text for _, text in texts)):
        return
    for inner, text in texts:
        for kind in secrets_of(text):
            yield inner, kind


@functools.lru_cache(maxsize=4096)
def secrets_of(text: str) -> tuple[str, ...]:
    """Kinds of secrets in a text, as it is and decoded; cached, since resources share labels."""
    return _read(text)


def _read(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(kind for each in (text, *_hidden(text)) for kind in _kinds(each)))


def texts_in(value: object, place: str) -> Iterator[tuple[str, str]]:
    """(place, text) of everything below a value; each text with its name, texts of a list as one."""
    if isinstance(value, str):
        yield place, f'{place.rpartition(".")[2]}="{value}"' if place else value
    elif is_object(value):
        name = value.get("name")
        for key, inner in value.items():
            named = name if key == "value" and isinstance(name, str) else key  # as in a container's environment
            within = f"{place}.{named}" if place else str(named)
            if isinstance(inner, str) and "." not in str(named):
                yield within, f'{named}="{inner}"'
            else:
                yield from texts_in(inner, within)
    elif is_list(value):
        if words := [inner for inner in value if isinstance(inner, str)]:
            yield place, " ".join(words)
        for number, inner in enumerate(value):
            if not isinstance(inner, str):
                yield from texts_in(inner, f"{place}[{number}]")


def _kinds(text: str) -> Iterator[str]:
    found = [kind for kind, form in _KINDS.items() if form.search(text)]
    if _MARK.search(text):
        found += [kind for kind, detect in detectors() if any(_certain(kind, secret) for secret in detect(text))]
    if not found and _has_a_name(text) and any(_random(secret) for secret in _NAMED.findall(text)):
        found = [_UNDER_A_NAME]
    yield from found


def _has_a_name(text: str) -> bool:
    small = text.lower()
    return any(word in small for word in _NAMES)


@functools.cache
def detectors() -> list[tuple[str, Callable[[str], Iterator[str]]]]:
    """(kind, detector); imported with the first text that has a mark."""
    made: list[tuple[str, Callable[[str], Iterator[str]]]] = []
    for place, (kind, _) in _DETECTORS.items():
        module, _, name = place.partition(".")
        made.append((kind, getattr(import_module(f"detect_secrets.plugins.{module}"), name)().analyze_string))
    return made


def _certain(kind: str, secret: str) -> bool:
    """Whether it is neither a path of 40 letters after the word AWS, nor a placeholder for a password."""
    if kind == _AWS and len(secret) == 40:
        return _random(secret)
    return kind != _PASSWORD or not re.match(_PLACEHOLDER, secret)


def _random(text: str) -> bool:
    """Whether it is certainly generated: 32 hexadecimal digits or more, or letters of both cases mixed with digits,
    unlike any path, version or object name."""
    entropy = -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())
    if re.fullmatch(r"[0-9a-f]{32,}", text):
        return entropy > 3
    mixed = all(re.search(of, text) for of in ("[a-z]", "[A-Z]", "[0-9]"))
    return mixed and entropy > 3.5 and text.count("/") <= 3 and not re.search(r"\.[A-Za-z]{2,}", text)


def _hidden(text: str, depth: int = 2) -> Iterator[str]:
    """Decoded base64 in a text, recursively: cloud-init writes files this way in its user data."""
    for run in re.findall(_ENCODED, text) if depth else ():
        letters = re.sub(r"[\s=]", "", run)
        raw = base64.b64decode(letters[: len(letters) - (len(letters) % 4 == 1)] + "==")
        if raw.startswith(_GZIP):
            with contextlib.suppress(zlib.error):
                raw = zlib.decompressobj(wbits=31).decompress(raw, _MOST)
        inner = raw.decode("utf-8", "ignore")
        if len(inner) * 4 > len(raw) * 3:  # mostly text
            yield inner
            yield from _hidden(inner, depth - 1)
