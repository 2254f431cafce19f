"""A zip that depends on its files alone."""

import io
import zipfile
from collections.abc import Container, Mapping


def zip_bytes(
    contents: Mapping[str, bytes], executable: Container[str] = (), compression: int = zipfile.ZIP_STORED
) -> bytes:
    """The same bytes for the same files: no times, no owners; stored, no version of a compressor either.

    executable  names of the files that may be run
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(contents):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = compression
            entry.create_system = 3  # as made on Unix, wherever it is made
            entry.external_attr = (0o755 if name in executable else 0o644) << 16
            archive.writestr(entry, contents[name])
    return file.getvalue()
