"""Cloud-specific knowledge of the rules; a new cloud is a new folder."""
