"""Facts about clouds, readers of programs, texts; used by every other part."""
