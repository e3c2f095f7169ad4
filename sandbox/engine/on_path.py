"""The user's installed `pulumi`, if its version is accepted."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from gpucluster.sandbox.engine import release
from gpucluster.sandbox.engine.model import Engine
from gpucluster.sandbox.engine.progress import Say

_LANGUAGE_HOST = "pulumi-language-python"


def engine_on_path(say: Say, not_below: Path) -> Engine | None:
    """The engine on PATH; None, and a line with the reason, if it is not accepted.

    An engine below the folder `not_below` (our cache) is skipped silently: it is found and checked there.
    """
    found = shutil.which("pulumi")
    if found is None:
        return None
    binary = Path(found)
    if binary.resolve().is_relative_to(not_below.resolve()):
        return None
    answer = ask_version(binary)
    version = release.parse_version(answer)
    if version is None:
        reason = f'does not print its version (it said "{answer}")'
    elif not release.is_accepted(version):
        reason = f"is version {_text(version)}, required is {release.ACCEPTED_RANGE}"
    elif not _has_language_host(binary):
        reason = f"has no {_LANGUAGE_HOST} beside it or on PATH"
    else:
        return Engine(binary=binary, version=_text(version), origin="PATH", language_host=None)
    say(f"pulumi on PATH ({binary}) is not used: it {reason}.")
    return None


def ask_version(binary: Path) -> str:
    """The output of `pulumi version`, or its error; one line."""
    environment = dict(os.environ) | {"PULUMI_SKIP_UPDATE_CHECK": "1"}
    try:
        done = subprocess.run(
            [binary, "version"],
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=release.ANSWERS_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    text = done.stdout if done.returncode == 0 else done.stderr
    return text.strip().partition("\n")[0]


def _has_language_host(binary: Path) -> bool:
    beside = [folder / _LANGUAGE_HOST for folder in (binary.parent, binary.resolve().parent)]
    return any(os.access(path, os.X_OK) for path in beside) or shutil.which(_LANGUAGE_HOST) is not None


def _text(version: release.Version) -> str:
    return ".".join(map(str, version))
