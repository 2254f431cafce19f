"""Jobs: written by hand, made up by a seed, or read from public traces."""
