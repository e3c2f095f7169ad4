"""What a spec and every part of a plan use: problems, names, labels, address ranges, MIG layouts."""
