"""Results of the grader in the forms that other systems read. A result without a score never becomes a zero."""
