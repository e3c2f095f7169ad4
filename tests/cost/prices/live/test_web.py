"""Reading documents over HTTP."""

from __future__ import annotations

import os
import re
import socket
import threading
import time
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpucluster.cost.prices.live import web as live_web
from gpucluster.cost.prices.live.web import SourceFailed, Web
from tests.says import Says

from .fakes import Lists, Reply

BUSY = Reply(status=429, headers={"Retry-After": "0"})


def test_numbers_keep_every_decimal(lists: Lists, web: Web) -> None:
    lists.put("/a", '{"price": 0.0000000001234567890123}')
    assert web.document(f"{lists.address}/a") == {"price": Decimal("1.234567890123E-10")}


def test_a_busy_server_is_asked_again_after_the_time_it_asks_for(
    lists: Lists, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time", SimpleNamespace(sleep=waits.append, time=time.time))
    lists.put("/a", Reply(status=429, headers={"Retry-After": "90"}), Reply(status=503), '{"it": "came"}')
    assert web.document(f"{lists.address}/a") == {"it": "came"}
    assert (lists.times("/a"), 90 in waits) == (3, True)


@pytest.mark.parametrize(
    ("replies", "message", "times"),
    [
        ([BUSY], "the server answers 429 Too Many Requests, and asks to wait 0 s after 6 tries", 6),
        ([Reply(status=403)], "the server answers 403 Forbidden", 1),
        (['{"Items": [{"retail'], "the answer is not complete JSON (Unterminated string", 2),
        (["[1, 2]"], "the answer is not a JSON object; its shape has changed", 1),
        ([Reply('{"Items": []}', cut=5)], "", 6),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_fails_with_its_address(
    lists: Lists, web: Web, replies: list[Reply | str], message: str, times: int
) -> None:
    lists.put("/a", *replies)
    with pytest.raises(SourceFailed, match=re.escape(f"{lists.address}/a: {message}")):
        web.document(f"{lists.address}/a")
    assert 1 <= lists.times("/a") <= times


def test_json_that_was_cut_off_once_is_asked_for_again(lists: Lists, web: Web) -> None:
    lists.put("/a", '{"Items": [', '{"Items": []}')
    assert web.document(f"{lists.address}/a") == {"Items": []}


def test_nobody_there_is_said(web: Web) -> None:
    with pytest.raises(SourceFailed) as failed:
        web.document("http://127.0.0.1:9/a")
    reason = "127.0.0.1 cannot be reached (Connection refused); check the network, or set HTTPS_PROXY"
    assert str(failed.value) == f"http://127.0.0.1:9/a: {reason}"


@pytest.mark.parametrize("fails", [True, False])
def test_without_a_network_it_fails_within_three_seconds(
    web: Web, monkeypatch: pytest.MonkeyPatch, *, fails: bool
) -> None:
    given_up = threading.Event()

    def resolve(*_: object, **__: object) -> list[object]:
        if not fails:
            given_up.wait()  # as a resolver that nobody answers
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert live_web._REACHED_WITHIN < 3
    monkeypatch.setattr(live_web, "_REACHED_WITHIN", 0.1)
    with pytest.raises(SourceFailed, match=r"^http://prices\.example/a: prices\.example cannot be reached \(\w.+\)"):
        web.document("http://prices.example/a")
    given_up.set()


def test_a_proxy_is_asked_in_the_place_of_the_server(lists: Lists, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, lists.address)
    lists.put("http://prices.example/a", '{"it": "came"}')
    lists.put("/a", '{"it": "came"}')
    assert web.document("http://prices.example/a") == {"it": "came"}
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with pytest.raises(SourceFailed, match=r"the proxy 127\.0\.0\.1 cannot be reached"):
        Web(print).document("http://prices.example/a")


def test_an_answer_is_kept_as_long_as_it_may_be(lists: Lists, tmp_path: Path, said: list[str]) -> None:
    lists.put("/a", '{"number": 1}', '{"number": 2}', '{"number": 3}')
    url = f"{lists.address}/a"
    assert Web(said.append, folder=tmp_path, max_age=60).document(url) == {"number": 1}
    assert Web(said.append, folder=tmp_path, max_age=60).document(url) == {"number": 1}
    for path in tmp_path.iterdir():
        os.utime(path, (time.time() - 61, time.time() - 61))
    assert Web(said.append, folder=tmp_path, max_age=60).document(url) == {"number": 2}
    assert Web(said.append).document(url) == {"number": 3}


def test_a_folder_that_cannot_be_written_is_said_once(lists: Lists, tmp_path: Path, said: list[str]) -> None:
    lists.put("/a", '{"number": 1}')
    (tmp_path / "file").write_text("")
    web = Web(said.append, folder=tmp_path / "file" / "folder", max_age=60)
    assert [web.document(f"{lists.address}/a") for _ in range(2)] == [{"number": Decimal(1)}] * 2
    assert len(said) == 1


def test_a_key_is_a_header_and_in_no_address(lists: Lists, web: Web) -> None:
    lists.put("/a", "{}")
    web.document(f"{lists.address}/a", {"pageSize": "5"}, key="secret")
    assert (lists.asked, lists.keys) == ([("/a", {"pageSize": "5"})], ["secret"])


def test_a_file_that_breaks_off_fails(lists: Lists, web: Web) -> None:
    lists.put("/a.csv", Reply("1,2\n3,4\n5,6\n", cut=4))
    with pytest.raises(SourceFailed, match="the file breaks off"):
        list(web.rows(f"{lists.address}/a.csv", skip=1))


def test_progress_says_how_much_of_a_file_has_come(
    lists: Lists, web: Web, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_web, "_REMARK_SECONDS", -1)
    lists.put("/a.csv", ",".join(["1" * 100_000] * 10) + "\n2\n" + ",".join(["3" * 100_000] * 10))
    assert len(list(web.rows(f"{lists.address}/a.csv", skip=1))) == 2
    assert said == [Says(f"{count} MB", f"{lists.address}/a.csv") for count in (1, 1, 2)]
