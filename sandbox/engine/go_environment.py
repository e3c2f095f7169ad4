"""Go's environment: only the variables for registries and caches."""

from __future__ import annotations

import os
import re

_PASSED_ON = re.compile(
    r"PATH|HOME|USER|LOGNAME|TMPDIR|LANG|LC_\w+|XDG_\w+|NETRC|SSH_AUTH_SOCK|SSL_CERT_(FILE|DIR)"
    r"|GO[A-Z0-9]+"  # without underscore: not GOOGLE_APPLICATION_CREDENTIALS
    r"|(?i:(https?|all|no)_proxy)|GIT_(SSL_CAINFO|SSL_CAPATH|SSH_COMMAND|ASKPASS|CONFIG\w*)"
)
# These would change the target platform, or the build itself.
_NOT_PASSED_ON = {"GOOS", "GOARCH", "GOWORK", "GOROOT", "GOEXPERIMENT", "GOBIN", "GODEBUG"}


def go_environment() -> dict[str, str]:
    """Keeps the user's GOPROXY, GOFLAGS, proxy and certificate settings."""
    passed = {
        name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name) and name not in _NOT_PASSED_ON
    }
    # Go downloads no toolchain without the user's knowledge, needs no C compiler, and ignores any go.work above us.
    return passed | {"GOTOOLCHAIN": "local", "CGO_ENABLED": "0", "GOWORK": "off"}
