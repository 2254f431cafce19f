"""A student's folder: what of it is taken, and how it is loaded."""
