"""One answer as a table, Markdown, a page, CSV and JSON: a document of sections, written by one writer for each format."""
