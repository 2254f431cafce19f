"""The commands of `python -m batching_lab`, one a file: each has `add_to`, which adds it to the command line."""
