"""Requests that a program sends itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CALLS = [
    {"url": "https://ip.example/", "body": "*", "result": "192.0.2.1\n"},
    {"url": "https://*.cloud.example/roles?*", "body": "*", "result": {"id": "one"}},
    {"url": "https://*.cloud.example/", "body": "*Action=List*", "result": {"id": "listed"}},
]
PROGRAM = """
import json, runpy, sys, urllib.error, urllib.request
calls = runpy.run_path(sys.argv[1])
asked = calls["watch_calls"](sys.argv[2])

def ask(url, data=None):
    try:
        return urllib.request.urlopen(url, data, timeout=5).read().decode()
    except urllib.error.HTTPError as error:
        return f"{error.code}: {error.read().decode()}"
    except OSError:
        return "nobody"

found = [ask(url, data and data.encode()) for url, data in json.loads(sys.argv[3])]
print(json.dumps({"found": found, "asked": asked}))
"""


def _asked(tmp_path: Path, *requests: tuple[str, str | None]) -> dict[str, Any]:
    from gpucluster.sandbox.engine.language_host import calls

    (file := tmp_path / "calls").write_text(json.dumps(CALLS))
    command = [sys.executable, "-c", PROGRAM, str(calls.__file__), str(file), json.dumps(requests)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"NO_PROXY": "*"})
    return json.loads(done.stdout)


def test_a_request_has_the_answer_of_the_scenario(tmp_path: Path) -> None:
    found = _asked(
        tmp_path,
        ("https://ip.example/", None),
        ("https://west.cloud.example/roles?name=a", None),
        ("https://west.cloud.example/", "Action=List&Version=1"),
        ("https://west.cloud.example/", "Action=Drop"),
    )
    assert found == {
        "found": [
            "192.0.2.1\n",
            '{"id": "one"}',
            '{"id": "listed"}',
            "404: the scenario has no call that fits POST https://west.cloud.example/",
        ],
        "asked": [],
    }


def test_who_is_asked_in_vain_is_known(tmp_path: Path) -> None:
    found = _asked(tmp_path, ("http://127.0.0.2:9/", None), ("http://127.0.0.1:9/", None))
    assert found == {"found": ["nobody", "nobody"], "asked": ["127.0.0.2"]}
