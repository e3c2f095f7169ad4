"""GPUs by the hour of providers whose clusters are not built here, beside the machines of a stack."""

from __future__ import annotations

from gpucluster.cost.offers.offers import Offer, Ranking, offers_of, rank_offers

__all__ = ["Offer", "Ranking", "offers_of", "rank_offers"]
