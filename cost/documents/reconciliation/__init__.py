"""An estimate and a bill."""
