"""The mutation score: small changes of the code, one at a time, that the quick tests of its area must notice.

`make mutants` tries 300 on a copy of the tree, prints the score of each area and what survived, and exits with 1 below
90 %. A mutant is chosen by the code of its function, whatever file this is in. equivalent.csv has those that change
nothing, with the reason.
"""
