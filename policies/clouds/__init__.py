"""What a rule has to know of one cloud; a new cloud is a new folder."""
