"""What serves the work on this repository, and is no part of the wheel."""
