# ruff: noqa: SIM905 - long lists of words read better as text
"""The environment of the engine, programs and packs: an allow-list, so that they get no key of the caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpucluster.core.cache import cache_folder
from gpucluster.sandbox.project.project import Store

ALLOWED: Final = frozenset(
    """
    PATH LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC LC_TIME TZ
    TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE
    TMPDIR TEMP TMP USER LOGNAME SHELL CI
    PYTHONPATH PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONWARNINGS PYTHONUTF8 VIRTUAL_ENV
    PULUMI_STACK PULUMI_PARALLEL PULUMI_DEBUG_COMMANDS PULUMI_EXPERIMENTAL PULUMI_SKIP_CHECKPOINTS
    PULUMI_OPTION_COLOR PULUMI_OPTION_PARALLEL PULUMI_OPTION_NON_INTERACTIVE
    GPUCLUSTER_BUDGET GPUCLUSTER_NO_FORK GPUCLUSTER_OUTPUT GPUCLUSTER_PRICES GPUCLUSTER_SET
    """.split()
)
"""The caller's variables for finding programs, writing text, and Pulumi's display. HOME is not among them (it leads to
`~/.aws` and `~/.kube`), nor is any variable that names a cloud, a cluster or a token."""

CALLS_FILE: Final = "SANDBOX_CALLS"
"""Variable with the file of answers to requests that a program sends itself; the file may not exist."""


def environment(caller: Mapping[str, str], store: Store) -> dict[str, str]:
    """The variables of all processes in the sandbox."""
    return {
        **{name: value for name, value in caller.items() if name in ALLOWED},
        "HOME": str(store.user),
        "GPUCLUSTER_CACHE": str(cache_folder()),
        "PULUMI_HOME": str(store.home),
        "PULUMI_BACKEND_URL": f"file://{store.state}",
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(store.passphrase),
        # The engine runs for seconds: Go's default frequency of garbage collection takes a quarter of its start.
        "GOGC": "400",
        "PULUMI_SKIP_UPDATE_CHECK": "1",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        # Plugins are loaded only from PULUMI_HOME, never from PATH: a real provider there must not be found.
        "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
        # Otherwise an AWS client in a program would request credentials from the machine it runs on.
        "AWS_EC2_METADATA_DISABLED": "true",
    }
