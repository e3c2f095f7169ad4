"""The criteria for evidence: a pack, its settings, the user's own prices, a day."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gpucluster.cost.prices import BadPrices, PriceBook
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.settings import Settings
from gpucluster.pull_request.evidence import Evidence
from gpucluster.pull_request.judge import Judge
from gpucluster.pull_request.judgement import Judgement
from gpucluster.pull_request.price_books import book_of
from gpucluster.pull_request.vendors import heard


@dataclass(frozen=True, kw_only=True)
class Terms:
    """own_prices: a file of the user's own prices, which override those of every book."""

    pack: Pack
    settings: Settings
    own_prices: Path | None
    today: datetime.date

    def judge(self, found: Evidence, changed_files: Iterable[str], *, own_book: bool = False) -> Judgement:
        """The judgement of evidence.

        own_book: price with the base's book in the evidence, if there is one; otherwise with the installed one, as for
        untrusted evidence.
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
                ask=heard,
            )
            return judge.judge(found, changed_files)

    def _book(self, files: dict[str, str], folder: Path) -> PriceBook:
        return book_of(files, folder, own=self.own_prices, today=self.today)
