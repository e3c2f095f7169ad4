"""GPUs by the hour of other providers, without clusters by this package, compared with a stack's machines."""

from __future__ import annotations

from gpucluster.cost.offers.offers import Offer, Ranking, offers_of, rank_offers

__all__ = ["Offer", "Ranking", "offers_of", "rank_offers"]
