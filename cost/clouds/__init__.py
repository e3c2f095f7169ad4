"""One file per cloud; `cost.cloud_parts` describes the contents."""
