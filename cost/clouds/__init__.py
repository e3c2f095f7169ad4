"""One file per cloud; `cost.pricing.cloud_parts` describes the contents."""
