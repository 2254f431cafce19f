"""Which Python grades: students are told, and the public tests run their files as it would."""

GRADING_PYTHON = (3, 12)


def version_text(version: tuple[int, int]) -> str:
    """As people write it: 3.12."""
    return f"{version[0]}.{version[1]}"
