"""Staff only: hidden tests, the worker that runs a submission, scoring and reports."""
