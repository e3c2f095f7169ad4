"""Untrusted text: files of users, answers of other programs, and output to a terminal."""
