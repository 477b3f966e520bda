"""Damage to zips, in place: to their first entry and to its line in the directory."""

from __future__ import annotations


def overwrite_directory(content: bytearray, offset: int, data: bytes) -> bytearray:
    """Overwrite bytes of the first line of the directory."""
    start = content.index(b"PK\x01\x02") + offset
    content[start : start + len(data)] = data
    return content


def encrypt(content: bytearray) -> bytearray:
    """Say that the first entry is encrypted, in its header and in the directory."""
    content[6] |= 1
    return overwrite_directory(content, 8, bytes([content[6]]))


def break_deflate(content: bytearray) -> bytearray:
    """Make the first block of the first entry one of a kind that deflate does not have."""
    data = 30 + int.from_bytes(content[26:28], "little") + int.from_bytes(content[28:30], "little")
    content[data] |= 0x06
    return content
