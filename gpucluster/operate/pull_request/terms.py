"""The criteria of plans, from the options of the command: pack, settings and prices."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from gpucluster.cost.prices import BadPrices, DamagedBook, PriceBook
from gpucluster.cost.prices.user_prices import find_prices
from gpucluster.errors import InputError
from gpucluster.operate.pull_request.evidence import Evidence
from gpucluster.operate.pull_request.judge import Judge
from gpucluster.operate.pull_request.judgement import Judgement, vendors_of
from gpucluster.operate.pull_request.revisions import Repository
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.settings import Settings, read_settings
from gpucluster.policies.packs import PACKS
from gpucluster.policies.packs.company import BadPack, pack_of


def book_of(files: Mapping[str, str], folder: Path, *, own: Path | None, today: datetime.date) -> PriceBook:
    """A book from the files in a new folder. Raises BadPrices if the files are not a price book."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    try:
        book = PriceBook(folder=folder, own=own, today=today)
        if not book.providers:
            raise BadPrices("cost/prices has no price left")
        for provider in book.providers:
            book.rows(provider)
    except DamagedBook as error:
        raise BadPrices(f"cost/prices/{error.file} {error.problem}") from None
    return book


@dataclass(frozen=True, kw_only=True)
class Terms:
    """own_prices: a file of the user's own prices, before those of every book. only_new, own_files: see `Judge`."""

    pack: Pack
    settings: Settings
    own_prices: Path | None
    today: datetime.date
    only_new: bool = False
    own_files: tuple[str, ...] = ()

    def judge(self, found: Evidence, changed_files: Iterable[str], *, own_book: bool = False) -> Judgement:
        """The judgement of evidence.

        own_book: price with the base's book in the evidence, if there is one, and name lines of the specs in the
        working tree, which is the change; otherwise use the installed book, as for untrusted evidence.
        """
        with TemporaryDirectory(prefix="pr-check-prices-") as folder:
            book, new_book, problem = PriceBook(own=self.own_prices, today=self.today), None, ""
            if found.prices is not None:
                try:
                    new_book = self._book(found.prices.after, Path(folder, "after"))
                    book = self._book(found.prices.before, Path(folder, "before")) if own_book else book
                except BadPrices as error:
                    problem = str(error)
            judge = Judge(
                book=book,
                new_book=new_book,
                price_problem=problem,
                pack=self.pack,
                settings=self.settings,
                today=self.today,
                ask=vendors_of,
                project=Path.cwd() if own_book else None,
                only_new=self.only_new,
                own_files=self.own_files,
            )
            return judge.judge(found, changed_files)

    def _book(self, files: dict[str, str], folder: Path) -> PriceBook:
        return book_of(files, folder, own=self.own_prices, today=self.today)


def pack_of_base(name: str, base: str, temporary: str) -> Pack:
    """A pack by its name, or that of a folder as the base has it: no change edits its own judge.

    temporary: an empty folder, kept while the pack runs.
    """
    if name in PACKS:
        return PACKS[name]
    scratch = Path(temporary)
    (scratch / "git").mkdir()
    folder = Repository.around(Path.cwd(), scratch / "git").of_base(Path(name), base, scratch)
    if folder is None and Path(name).is_dir():
        raise InputError(_lacks("pack", name, base))
    try:
        return pack_of(name if folder is None else str(folder), written=name)
    except BadPack as error:
        raise BadPack(str(error).replace(str(folder), f"{name} of the base {base}")) from None


def _config_of(config: Path, base: str | None) -> str:
    """The text of the settings; of a file in the repository, that of the base: no change edits its own judge."""
    if config == _STDIN:
        return sys.stdin.read()
    with TemporaryDirectory(prefix="pr-check-config-") as temporary:
        scratch, found = Path(temporary), config
        if base is not None:
            (scratch / "git").mkdir()
            there = Repository.around(Path.cwd(), scratch / "git").of_base(config, base, scratch)
            if there is None:
                raise InputError(_lacks("config", str(config), base))
            found = there
        try:
            return found.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"--config '{config}': {error.strerror}") from None
        except UnicodeDecodeError:
            raise InputError(f"--config '{config}' is not UTF-8; write a JSON file in UTF-8") from None


def _lacks(option: str, name: str, base: str) -> str:
    return (
        f"--{option} is {name!r}, which the base {base} does not have: no change brings its own judge; merge it first"
    )


_STDIN: Final = Path("-")


def terms_of(
    pack: Pack, pack_name: str, config: Path | None, prices: str | None, *, only_new: bool, base: str | None = None
) -> Terms:
    """The criteria of plans, from the options. base: the revision that has the settings; None for the working tree."""
    own = find_prices(prices)
    PriceBook(own=own)
    settings = read_settings(_config_of(config, base), pack.rules) if config else Settings()
    judges = [*([] if pack_name in PACKS else [Path(pack_name)]), *([config] if config and config != _STDIN else [])]
    return Terms(
        pack=pack,
        settings=settings,
        own_prices=own,
        today=datetime.date.today(),
        only_new=only_new,
        own_files=_in_repository(judges),
    )


def _in_repository(paths: Sequence[Path]) -> tuple[str, ...]:
    """Paths relative to the repository, without those outside of it."""
    if not paths:
        return ()
    try:
        repository = Repository.around(Path.cwd(), Path.cwd())
    except InputError:  # evidence alone
        repository = Repository(Path.cwd(), Path.cwd())
    return tuple(str(inside) for path in paths if (inside := repository.inside(path)) is not None)
