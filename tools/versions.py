"""`python -m tools.versions`: looks up the newest version of every row of the table of versions.

Writes the table, and a list of the changes. What a service does not answer stays as it is and is listed; the exit code
is 1 then. Packages are looked up by pip and modules by go, which have their own settings; charts and images in their
registry; ends of support in the calendar of endoflife.date, from which those rows have them.
"""

from __future__ import annotations

import csv
import datetime
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

import click
import requests

from gpucluster.components.kubernetes.objects.charts import CHARTS, Chart
from gpucluster.core.cache import cache_folder
from gpucluster.core.catalog.tables import packaged, read_rows
from gpucluster.core.catalog.versions import order
from gpucluster.errors import Exit
from gpucluster.sandbox.engine.find import say_on_stderr
from gpucluster.sandbox.engine.go_toolchain import NoGo, find_go, go_environment

TABLE: Final = "gpucluster/core/catalog/versions.csv"
CALENDAR: Final = "https://endoflife.date/api/v1/products"
_SECONDS: Final = 60
_PRODUCT: Final = re.compile(r"endoflife-date/endoflife\.date(?:@\w+)?:products/([\w-]+)\.md")
_REVISION: Final = re.compile(r"@\w+(?=:products/)")
_RELEASED: Final = re.compile(r"v?\d+(\.\d+)+")
_DAYS: Final = {"released": "releaseDate", "standard_ends": "eolFrom", "extended_ends": "eoesFrom"}

Rows = list[dict[str, str]]


class NotFound(Exception):
    """A look-up failed; the message gives the reason."""


@dataclass(frozen=True)
class Newest:
    """released: empty if the service does not give it."""

    version: str
    source: str
    released: str = ""


def refreshed(rows: Rows, today: str, calendar: str) -> tuple[Rows, list[str], list[str]]:
    """The rows with what is known today, the changes, and what was not looked up, each a line."""
    changes: list[str] = []
    failures: list[str] = []
    done: Rows = []
    for group in _groups(rows):
        try:
            new = _calendar(group, today, calendar)
            new[-1] = _looked_up(new[-1], today)
        except NotFound as error:
            failures.append(f"{group[0]['kind']} {group[0]['name']}: {error}")
            new = group
        changes += _changes(group, new)
        done += new
    return done, changes, failures


def _groups(rows: Rows) -> Iterator[Rows]:
    """The rows of one name together; of an add-on for one version of Kubernetes."""
    found: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        found.setdefault((row["kind"], row["name"], row["kubernetes"]), []).append(row)
    yield from found.values()


def _changes(old: Rows, new: Rows) -> Iterator[str]:
    before = {row["version"]: row for row in old}
    for row in new:
        name = f"{row['kind']} {row['name']}"
        was = before.get(row["version"])
        if was is None:
            yield f"{name}: {row['version']}, after {old[-1]['version']}"
        else:
            ends = [one for one in ("standard_ends", "extended_ends") if row[one] != was[one]]
            yield from (f"{name} {row['version']}: {one} {row[one]}, was {was[one] or 'not known'}" for one in ends)


def _looked_up(row: dict[str, str], today: str) -> dict[str, str]:
    """The newest version in its place. A service that lists older ones alone changes nothing but the day."""
    look_up = _LOOK_UPS.get(row["kind"])
    # EKS' image is in no registry.
    if look_up is None or _PRODUCT.match(row["source"]) or (row["kind"] == "image" and "/" not in row["name"]):
        return row
    found = look_up(row)
    if order(found.version) <= order(row["version"]):
        return {**row, "as_of": today}
    return {
        **row,
        "version": found.version,
        "released": found.released,
        "standard_ends": "",
        "extended_ends": "",
        "source": found.source,
        "as_of": today,
    }


def _calendar(group: Rows, today: str, calendar: str) -> Rows:
    """The rows with the dates of their calendar, if they have one, and its new minor versions after them."""
    products = {found[1]: row for row in group if (found := _PRODUCT.match(row["source"]))}
    if not products:
        return list(group)
    [(product, last)] = products.items()
    releases = {str(one["name"]): one for one in _json(f"{calendar}/{product}/")["result"]["releases"]}
    source = _REVISION.sub("", last["source"])
    rows = [
        {**row, **_dates(one), "source": source, "as_of": today}
        if (one := releases.get(row["version"].removeprefix("v")))
        else dict(row)
        for row in group
    ]
    known = {row["version"].removeprefix("v") for row in rows}
    # Where some releases have long-term support, as Ubuntu's do, the others are not for clusters.
    long_term = any(one.get("isLts") for one in releases.values())
    prefix = "v" if last["version"].startswith("v") else ""
    rows += [
        {
            **last,
            "version": f"{prefix}{name}",
            **dict.fromkeys(_DAYS, ""),
            **_dates(one),
            "source": source,
            "as_of": today,
        }
        for name, one in releases.items()
        if re.fullmatch(r"\d+\.\d+", name) and name not in known and order(name) > order(last["version"])
        if one.get("isLts") or not long_term
    ]
    rows.sort(key=lambda row: order(row["version"]))
    reason = group[-1]["stays"]
    return [*({**row, "stays": ""} for row in rows[:-1]), {**rows[-1], "stays": reason}]


def _dates(release: Mapping[str, Any]) -> dict[str, str]:
    """Those that the calendar has; a date that it lacks stays as it is."""
    return {column: str(release[key]) for column, key in _DAYS.items() if release.get(key)}


def _package(row: Mapping[str, str]) -> Newest:
    name = row["name"]
    command = [sys.executable, "-m", "pip", "index", "versions", name, "--json", "--disable-pip-version-check"]
    return Newest(_newest(json.loads(_run(command, os.environ))["versions"]), f"PyPI, {name}")


def _program(row: Mapping[str, str]) -> Newest:
    try:
        go = str(find_go(cache_folder(), say_on_stderr))
    except NoGo as error:
        raise NotFound(str(error)) from None
    name, env = row["name"], go_environment()
    newest = _newest(json.loads(_run([go, "list", "-m", "-versions", "-json", name], env)).get("Versions", []))
    released = str(json.loads(_run([go, "list", "-m", "-json", f"{name}@{newest}"], env)).get("Time", ""))
    return Newest(newest, f"Go module proxy, {name}", released[:10])


def _run(command: Sequence[str], env: Mapping[str, str]) -> str:
    """Outside of every module and project."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise NotFound((done.stderr.strip().splitlines() or ["no answer"])[-1].strip())
    return done.stdout


def _chart(row: Mapping[str, str]) -> Newest:
    chart: Chart = CHARTS[row["name"]]
    if chart.repository is None:
        place = chart.chart.removeprefix("oci://")
        return Newest(_newest(_tags(place)), f"tags of {place}")
    import yaml

    index = yaml.safe_load(_get(f"{chart.repository}/index.yaml").text)
    entries = {str(one["version"]): str(one.get("created", ""))[:10] for one in index["entries"].get(chart.chart, [])}
    newest = _newest(entries)
    return Newest(newest, f"{chart.repository}/index.yaml", entries[newest])


def _image(row: Mapping[str, str]) -> Newest:
    """Of the tags that are written like the known one."""
    form = re.compile(re.sub(r"\d+", r"\\d+", re.escape(row["version"])))
    return Newest(_newest(_tags(row["name"]), form), f"tags of {row['name']}")


_LOOK_UPS: Final[Mapping[str, Callable[[Mapping[str, str]], Newest]]] = {
    "package": _package,
    "program": _program,
    "chart": _chart,
    "image": _image,
}


def _newest(versions: Iterator[str] | Sequence[str] | Mapping[str, str], form: re.Pattern[str] = _RELEASED) -> str:
    """The newest of the releases; candidates and builds of branches have other forms."""
    found = [one for one in versions if form.fullmatch(one)]
    if not found:
        raise NotFound("no release is listed")
    return max(found, key=order)


def _tags(place: str) -> list[str]:
    """All tags of a repository of images or charts: OCI distribution specification, "Listing Tags"."""
    host, _, path = place.partition("/")
    root = f"{'http' if host.startswith('127.0.0.1:') else 'https'}://{host}"
    url, tags, headers = f"{root}/v2/{path}/tags/list", list[str](), dict[str, str]()
    while url:
        answer = _get(url, headers, accept=(200, 401))
        if answer.status_code == 401:
            if headers:
                raise NotFound(f"{url} refuses its own token")
            headers = {"Authorization": f"Bearer {_token(answer.headers.get('WWW-Authenticate', ''), url)}"}
            continue
        tags += answer.json().get("tags") or []
        following = str(answer.links.get("next", {}).get("url", ""))
        url = urljoin(url, following) if following else ""
    return tags


def _token(challenge: str, url: str) -> str:
    """For reading without an account. challenge: of the registry."""
    asked = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    if "realm" not in asked:
        raise NotFound(f"{url} asks for an account")
    realm = asked.pop("realm")
    given = _json(requests.Request("GET", realm, params=asked).prepare().url or realm)
    return str(given.get("token") or given.get("access_token") or "")


def _json(url: str) -> Any:
    try:
        return _get(url).json()
    except requests.JSONDecodeError:
        raise NotFound(f"{url} answers no JSON") from None


def _get(url: str, headers: Mapping[str, str] | None = None, accept: Sequence[int] = (200,)) -> requests.Response:
    try:
        answer = requests.get(url, headers=headers, timeout=_SECONDS)
    except requests.RequestException as error:
        raise NotFound(f"{url}: {type(error).__name__}") from None
    if answer.status_code not in accept:
        raise NotFound(f"{url} answers {answer.status_code}")
    return answer


@click.command()
@click.option("--calendar", default=CALENDAR, show_default=True, help="Address of the calendar's products.")
@click.option(
    "--table", type=click.Path(path_type=Path), default=None, help="Table to write.  [default: the package's]"
)
@click.option("--changes", type=click.File("w", encoding="utf-8"), default="-", help="File for the list of changes.")
def main(calendar: str, table: Path | None, changes: Any) -> None:
    """Look up the newest versions.

    Exit code 1: a version could not be looked up.
    """
    rows = [dict(row) for row in read_rows(TABLE)]
    today = f"{datetime.datetime.now(datetime.UTC).date()}"
    new, found, failures = refreshed(rows, today, calendar)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(new)
    (table or packaged(TABLE)).write_text(text.getvalue(), encoding="utf-8")
    changes.write("\n".join([*_section("Newer", found), *_section("Not looked up", failures)]) + "\n")
    if failures:
        raise SystemExit(Exit.FINDINGS)


def _section(heading: str, lines: Sequence[str]) -> Iterator[str]:
    yield f"## {heading}"
    yield ""
    yield from (f"- {line}" for line in lines or ["nothing"])
    yield ""


if __name__ == "__main__":
    main()
