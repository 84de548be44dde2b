"""ZIP archives: the texts of some of their members, within `Limits`.

The sizes that an archive declares are checked before anything is unpacked, and no member gives
more than its declared size.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING

from celab.base.errors import InputError, LimitError, Setting
from celab.base.io.binary import refuse_binary
from celab.base.options import LIMITS, Limits

if TYPE_CHECKING:
    from zipfile import ZipFile


def unpack(
    data: bytes, name: str, marker: str, is_wanted: Callable[[str], bool], limits: Limits = LIMITS
) -> dict[str, str]:
    """Return the texts of the members that are wanted, by name.

    `marker` is a member by which the kind of archive is known; others are an `InputError`.
    """
    import zlib
    from zipfile import BadZipFile, ZipFile  # few files are archives

    if len(data) > limits.max_file:
        raise _too_large(name, limits)
    if marker.encode() not in data:
        refuse_binary(data, name)
    try:
        with ZipFile(BytesIO(data)) as archive:
            texts = _texts(archive, name, is_wanted, limits)
            if marker not in texts:
                raise BadZipFile(f"it has no {marker}")
            return texts
    except (BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
        # ValueError: bytes that are no text; RuntimeError: an encrypted member, or a new method.
        why = str(error).partition("\n")[0]
        raise InputError(f"{name} cannot be unpacked ({why}); save it again") from None


def _texts(
    archive: ZipFile, name: str, is_wanted: Callable[[str], bool], limits: Limits
) -> dict[str, str]:
    members = [member for member in archive.infolist() if is_wanted(member.filename)]
    if sum(member.file_size for member in members) > limits.max_file:
        raise _too_large(name, limits)
    texts = {}
    for member in members:
        with archive.open(member) as file:
            texts[member.filename] = file.read(member.file_size).decode("utf-8-sig")
    return texts


def _too_large(name: str, limits: Limits) -> LimitError:
    return LimitError(
        f"more than {limits.max_file} bytes when it is unpacked",
        place=name,
        hint=("split the file, or use a greater ", Setting("max_file")),
    )
