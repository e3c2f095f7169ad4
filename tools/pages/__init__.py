"""Writers of the pages in docs/ that are generated: `make docs`."""
