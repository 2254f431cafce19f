"""Runs a submission in a process of its own; the grader talks to it over a private channel."""
