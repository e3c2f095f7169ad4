"""This machine: disk, processes, local servers, folders of runs."""
