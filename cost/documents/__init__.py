"""Answers as documents of sections, and one writer for each format: table, Markdown, page, CSV and JSON."""
