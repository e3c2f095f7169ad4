"""Parts of a page: no script, no network, light and dark mode, printable.

Every chart is a `figure` with a heading and a sentence that says the same in words.
"""
