"""The refresh of the table of versions, against services on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.components.kubernetes.objects.charts import CHARTS
from gpucluster.core.catalog.tables import read_rows
from tools import versions
from tools.versions import TABLE, main, refreshed

TODAY = "2026-12-05"
COLUMNS = tuple(read_rows(TABLE)[0])
UBUNTU = [
    {"name": "28.10", "isLts": False, "eolFrom": "2029-07-01"},
    {"name": "28.04", "isLts": True, "eolFrom": "2033-04-30"},
]
EKS = [
    {"name": "1.37", "releaseDate": "2026-11-30", "eolFrom": "2028-01-30", "eoesFrom": "2029-01-30"},
    {"name": "1.36", "releaseDate": "2026-06-02", "eolFrom": "2027-09-02", "eoesFrom": None},
    {"name": "1.20", "releaseDate": "2021-05-18", "eolFrom": "2022-11-01", "eoesFrom": None},
]
INDEX = """
entries:
  a:
    - {version: 1.9.0, created: '2026-01-01T00:00:00Z'}
    - {version: 1.10.1, created: '2026-12-01T00:00:00Z'}
    - {version: 2.0.0-rc.1}
"""
MODULE = "/go/example.com/m/@v"
ANSWERS = {
    "/calendar/amazon-eks/": json.dumps({"result": {"releases": EKS}}),
    "/calendar/ubuntu/": json.dumps({"result": {"releases": UBUNTU}}),
    "/charts/index.yaml": INDEX,
    "/simple/a-package/": "".join(
        f'<a href="a_package-{version}-py3-none-any.whl"></a>' for version in ("2.1.0", "2.2.0rc1")
    ),
    f"{MODULE}/list": "v0.9.0\nv0.10.0\nv0.11.0-rc.0\n",
    f"{MODULE}/v0.10.0.info": '{"Version": "v0.10.0", "Time": "2026-12-02T10:00:00Z"}',
    f"{MODULE}/v0.10.0.mod": "module example.com/m\n",
    "/token?service=here&scope=read": '{"token": "t"}',
    "/v2/an/image/tags/list": '{"tags": ["1.2-slim", "latest", "1.9"]}',
    "/v2/an/image/tags/list?last=1": '{"tags": ["1.10-slim", "1.11-alpine"]}',
    "/v2/a/chart/tags/list": '{"tags": ["0.3.0", "0.3.1-main"]}',
}


class Services(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        answer = ANSWERS.get(self.path)
        images = self.path.startswith("/v2/an/image")
        locked = images and self.headers.get("Authorization") != "Bearer t"
        self.send_response(401 if locked else 404 if answer is None else 200)
        if locked:
            token = f'Bearer realm="http://{self.headers["Host"]}/token",service="here",scope="read"'
            self.send_header("WWW-Authenticate", token)
        elif images and "?" not in self.path:
            self.send_header("Link", '</v2/an/image/tags/list?last=1>; rel="next"')
        if self.path.startswith("/simple"):
            self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"" if locked else (answer or "").encode())

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """host:port of all of them."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Services) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{server.server_address[1]}"
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "GONOPROXY", "GOPRIVATE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("PIP_INDEX_URL", f"http://{place}/simple")
        monkeypatch.setenv("GOPROXY", f"http://{place}/go")
        monkeypatch.setenv("GOSUMDB", "off")
        monkeypatch.setenv("GOFLAGS", "-modcacherw")
        monkeypatch.setenv("GOMODCACHE", str(tmp_path / "modules"))
        charts = {
            "a": replace(CHARTS["kueue"], chart="a", repository=f"http://{place}/charts"),
            "b": replace(CHARTS["kueue"], chart=f"oci://{place}/a/chart", repository=None),
        }
        monkeypatch.setattr(versions, "CHARTS", charts)
        yield place
        server.shutdown()


def row(kind: str, name: str, version: str, **values: str) -> dict[str, str]:
    return dict.fromkeys(COLUMNS, "") | {"kind": kind, "name": name, "version": version, "as_of": "2026-11-01"} | values


def look_up(services: str, *rows: dict[str, str]) -> tuple[list[dict[str, str]], list[str], list[str]]:
    return refreshed(list(rows), TODAY, f"http://{services}/calendar")


def test_a_calendar_brings_new_minor_versions_and_their_dates_and_the_reason_goes_to_the_newest(services: str) -> None:
    source = "endoflife-date/endoflife.date@a70eca3:products/amazon-eks.md, from a calendar"
    old = {"released": "2026-06-02", "standard_ends": "2027-08-02", "extended_ends": "2028-08-02"}
    former = row("kubernetes", "aws", "1.35", source=source, standard_ends="2027-03-27")
    newest = row("kubernetes", "aws", "1.36", source=source, stays="because", **old)
    rows, changes, failures = look_up(services, former, newest)
    told = {"source": "endoflife-date/endoflife.date:products/amazon-eks.md, from a calendar", "as_of": TODAY}
    assert rows == [
        former,
        {**newest, **told, "standard_ends": "2027-09-02", "stays": ""},
        {
            **newest,
            **told,
            "version": "1.37",
            "released": "2026-11-30",
            "standard_ends": "2028-01-30",
            "extended_ends": "2029-01-30",
        },
    ]
    assert changes == [
        "kubernetes aws 1.36: standard_ends 2027-09-02, was 2027-08-02",
        "kubernetes aws: 1.37, after 1.36",
    ]
    assert failures == []


def test_of_a_product_with_long_term_support_only_such_releases_are_new(services: str) -> None:
    old = row("image", f"{services}/ubuntu", "26.04", source="endoflife-date/endoflife.date:products/ubuntu.md")
    rows, _, _ = look_up(services, old)
    assert [(one["version"], one["standard_ends"]) for one in rows] == [("26.04", ""), ("28.04", "2033-04-30")]


@pytest.mark.parametrize(
    ("kind", "name", "known", "newest", "released", "source"),
    [
        ("chart", "a", "1.9.0", "1.10.1", "2026-12-01", "http://{place}/charts/index.yaml"),
        ("chart", "b", "0.2.9", "0.3.0", "", "tags of {place}/a/chart"),
        ("package", "a-package", "2.0.0", "2.1.0", "", "PyPI, a-package"),
        ("program", "example.com/m", "v0.9.0", "v0.10.0", "2026-12-02", "Go module proxy, example.com/m"),
        ("image", "{place}/an/image", "1.2-slim", "1.10-slim", "", "tags of {place}/an/image"),
    ],
)
def test_the_newest_release_replaces_the_one_known_and_keeps_the_reason(
    services: str, kind: str, name: str, known: str, newest: str, released: str, source: str
) -> None:
    """Candidates and other kinds of tags are none."""
    old = row(kind, name.format(place=services), known, stays="because", pin="a file")
    new = {"version": newest, "released": released, "source": source.format(place=services), "as_of": TODAY}
    assert look_up(services, old) == ([{**old, **new}], [f"{kind} {old['name']}: {newest}, after {known}"], [])


def test_an_older_list_changes_the_day_alone(services: str) -> None:
    old = row("chart", "a", "1.11.0", source="a page")
    assert look_up(services, old) == ([{**old, "as_of": TODAY}], [], [])


def test_what_no_service_lists_stays_as_it_is(services: str) -> None:
    rows = [row("add-on", "coredns", "v1.14.6-eksbuild.4", kubernetes="1.35"), row("image", "al2023", "20261012")]
    assert look_up(services, *rows) == (rows, [], [])


@pytest.mark.parametrize(
    ("kind", "name", "reason"),
    [
        ("image", "{place}/no/image", "http://{place}/v2/no/image/tags/list answers 404"),
        ("program", "example.com/none", "404"),
        ("package", "b-package", "No matching distribution found for b-package"),
        ("kubernetes", "gcp", "http://{place}/calendar/no-product/ answers 404"),
    ],
)
def test_a_look_up_that_fails_leaves_the_row_and_is_listed(services: str, kind: str, name: str, reason: str) -> None:
    old = row(kind, name.format(place=services), "1.0", source="endoflife-date/endoflife.date:products/no-product.md")
    old |= {} if kind == "kubernetes" else {"source": "a page"}
    rows, changes, [failure] = look_up(services, old)
    assert (rows, changes) == ([old], [])
    assert failure.startswith(f"{kind} {old['name']}: ")
    assert reason.format(place=services) in failure


def test_the_command_writes_the_table_and_the_changes_and_ends_with_1_if_a_look_up_fails(
    services: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row("chart", "a", "1.9.0", source="a page, of others"), row("image", f"{services}/no/image", "1.0")]
    monkeypatch.setattr(versions, "read_rows", lambda _table: rows)
    table, changes = tmp_path / "versions.csv", tmp_path / "changes.md"
    arguments = ["--table", str(table), "--changes", str(changes), "--calendar", f"http://{services}/calendar"]
    done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, done.output) == (1, "")
    head, chart, image = table.read_text().splitlines()
    assert head == ",".join(COLUMNS)
    assert chart.startswith("chart,a,,1.10.1,,2026-12-01,,,,http://")
    assert image.endswith(",2026-11-01")
    assert changes.read_text() == (
        "## Newer\n\n- chart a: 1.10.1, after 1.9.0\n\n## Not looked up\n\n"
        f"- image {services}/no/image: http://{services}/v2/no/image/tags/list answers 404\n\n"
    )


def test_the_table_is_written_as_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "refreshed", lambda rows, *_: (rows, [], []))
    table = tmp_path / "versions.csv"
    assert CliRunner().invoke(main, ["--table", str(table)]).exit_code == 0
    assert table.read_text() == (Path(__file__).parents[2] / TABLE).read_text()
