"""How points arise: one grading run, what its student is told, and the result that is kept."""
