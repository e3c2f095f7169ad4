from __future__ import annotations

import os
from unittest import mock

from gpucluster.sandbox.engine.go_environment import go_environment


def test_go_gets_what_reaches_registries_and_caches_and_nothing_else() -> None:
    passed_on = {
        "PATH": "/bin",
        "HOME": "/home/me",
        "GOPROXY": "https://proxy.example.org",
        "GOFLAGS": "-p=1",
        "GOMODCACHE": "/modules",
        "HTTPS_PROXY": "http://proxy:3128",
        "no_proxy": "localhost",
        "SSL_CERT_FILE": "/certificates.pem",
        "GIT_SSL_CAINFO": "/certificates.pem",
    }
    kept_back = {
        "AWS_SECRET_ACCESS_KEY": "secret",
        "GOOGLE_APPLICATION_CREDENTIALS": "/key.json",
        "GOOS": "windows",
        "GOARCH": "wasm",
        "GOROOT": "/elsewhere",
        "PULUMI_ACCESS_TOKEN": "secret",
    }
    overruled = {"GOTOOLCHAIN": "auto", "GOWORK": "/go.work", "CGO_ENABLED": "1"}
    with mock.patch.dict(os.environ, passed_on | kept_back | overruled, clear=True):
        assert go_environment() == passed_on | {"GOTOOLCHAIN": "local", "GOWORK": "off", "CGO_ENABLED": "0"}
