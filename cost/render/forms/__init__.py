"""Formats of a document for users: plain text, Markdown, page."""
