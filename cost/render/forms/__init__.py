"""How a document is written for people: as plain text, as Markdown, as a page."""
