"""An editor of a user: where "go to definition" leads in a folder."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse


class Editor:
    """basedpyright's language server on a folder. python: the interpreter whose packages it sees."""

    def __init__(self, folder: Path, python: Path | None = None) -> None:
        self._settings = {"pythonPath": str(python)} if python else {}
        self._server = subprocess.Popen(
            [Path(sys.executable).with_name("basedpyright-langserver"), "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        capabilities = {"workspace": {"configuration": True, "workspaceFolders": True}}
        self._ask("initialize", processId=None, rootUri=None, workspaceFolders=folders, capabilities=capabilities)
        self._send(method="initialized", params={})

    def __enter__(self) -> Editor:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.kill()
        self._server.communicate()

    def definition(self, file: Path, name: str) -> Path:
        """The file that defines a name, from its first use in a file."""
        text = file.read_text()
        before = text.partition(name)[0]
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": text}
        self._send(method="textDocument/didOpen", params={"textDocument": document})
        at = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
        [found] = self._ask("textDocument/definition", textDocument={"uri": file.as_uri()}, position=at)
        return Path(unquote(urlparse(found["uri"]).path))

    def _ask(self, method: str, **params: object) -> Any:
        self._send(id=method, method=method, params=params)
        while True:
            said = self._read()
            if said.get("id") == method:
                return said["result"]
            if "id" in said and "method" in said:
                wanted = said["params"].get("items", [])
                answer = [self._settings if it["section"] == "python" else {} for it in wanted]
                self._send(id=said["id"], result=answer or None)

    def _send(self, **message: object) -> None:
        assert self._server.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._server.stdin.flush()

    def _read(self) -> Mapping[str, Any]:
        assert self._server.stdout is not None
        headers = dict(line.split(b": ") for line in iter(self._server.stdout.readline, b"\r\n"))
        return json.loads(self._server.stdout.read(int(headers[b"Content-Length"])))
