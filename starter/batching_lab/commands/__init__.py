"""The commands of `python -m batching_lab`, one a file with an `add_to`, and what they share."""
