"""Facts about the clouds' offers and resource types: each once, with its source. Imports nothing from the rest of the
project.
"""
