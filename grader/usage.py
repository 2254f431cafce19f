"""Wrong usage of the staff's command line."""


class UsageError(Exception):
    """One sentence for whoever typed the command."""
