"""The container of a model file: a zip archive of few members, each with its checksum."""

import io
import json
import re
import struct
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from lopsided._terminal import abbreviate

FORMAT = "lopsided-model"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
_MAX_MANIFEST = 2**24
_MAX_DIRECTORY = 2**24  # bytes of an archive's list of members
_END = struct.Struct("<4s4H2LH")  # the last record of an archive
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same model gives the same bytes, whenever it is saved
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)?")
_PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")


class Refused(ValueError):
    """A model file that is not read, in one sentence."""


def write_archive(members: Mapping[str, bytes], compression: int = ZIP_DEFLATED) -> bytes:
    """Return an archive of the members, in their order."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            info = ZipInfo(name, _EPOCH)
            info.compress_type = compression
            archive.writestr(info, data)
    return buffer.getvalue()


def read_archive(data: bytes, max_bytes: int) -> dict[str, bytes]:
    """Return the members of an archive, or refuse one that no `write_archive` has written.

    What it says of the sizes of its members bounds what is read of each, and must be true.
    """
    _check_directory(data)
    members: dict[str, bytes] = {}
    with ZipFile(io.BytesIO(data)) as archive:
        total = sum(info.file_size for info in archive.infolist())
        if total > max_bytes:
            raise Refused(
                f"must hold at most {max_bytes} bytes, got {total}. Raise max_bytes if you "
                "trust where it comes from"
            )
        for info in archive.infolist():
            if info.filename in members:
                raise Refused(f"must name its members once, got {_show(info.filename)} twice")
            if not _NAME.fullmatch(info.filename):
                raise Refused(f"must have members of plain names, got {_show(info.filename)}")
            if info.flag_bits & 1 or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise Refused(
                    "must have members that are stored or deflated, got "
                    f"{info.filename} packed otherwise"
                )
            with archive.open(info) as member:
                members[info.filename] = member.read(info.file_size + 1)
            if len(members[info.filename]) != info.file_size:
                raise Refused(f"must be whole, got {info.filename} cut short")
    return members


def _check_directory(data: bytes) -> None:
    """Refuse an archive that starts or ends with anything else, or has too many members."""
    if len(data) < _END.size:
        raise Refused("must be whole, got one cut short")
    mark, *disks, here, n_members, size, start, comment = _END.unpack(data[-_END.size :])
    if mark != b"PK\x05\x06":
        raise Refused("must be whole, got one cut short or with something after its end")
    if any(disks) or here != n_members or comment or start + size + _END.size != len(data):
        raise Refused("must be whole, got one whose list of members does not fit its length")
    if size > _MAX_DIRECTORY:
        raise Refused(f"must have fewer members, got {n_members}")


def pack(manifest: Mapping[str, Any], members: Mapping[str, bytes]) -> bytes:
    """Return a model file: its members, and a manifest with their checksums before them."""
    full = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        **manifest,
        "members": {
            name: {"sha256": sha256(data).hexdigest(), "size": len(data)}
            for name, data in members.items()
        },
    }
    return write_archive({MANIFEST: json.dumps(full, indent=1).encode(), **members})


def unpack(data: bytes, max_bytes: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the manifest and the members of a model file, each as it was written.

    Checksums tell what has been damaged on the way. They do not tell who has written it: a
    file made to do harm has checksums that are right.
    """
    _check_kind(data)
    _check_directory(data)
    with ZipFile(io.BytesIO(data)) as archive:
        if MANIFEST not in archive.namelist():
            raise Refused(
                "must be written by lopsided fit or lopsided.save, got another kind of archive"
            )
    members = read_archive(data, max_bytes)
    manifest = _read_manifest(members.pop(MANIFEST))
    listed = manifest["members"]
    for name in sorted(listed.keys() ^ members.keys()):
        came = "is missing" if name in listed else "is not in the manifest"
        raise Refused(f"must hold the members of its manifest, got {_show(name)} that {came}")
    for name, own in members.items():
        wanted = listed[name]
        found = {"sha256": sha256(own).hexdigest(), "size": len(own)}
        if wanted != found:
            raise Refused(f"must be as it was saved, got an altered {name}")
    return manifest, members


def _check_kind(data: bytes) -> None:
    if data[:4] == b"PK\x03\x04":
        return
    if not data:
        came = "an empty file"
    elif data[:2] in _PICKLES:
        came = "a pickle, which could execute code and is not read"
    else:
        came = "another kind of file"
    raise Refused(f"must be written by lopsided fit or lopsided.save, got {came}")


def _read_manifest(data: bytes) -> dict[str, Any]:
    if len(data) > _MAX_MANIFEST:
        raise Refused(f"must have a manifest of at most {_MAX_MANIFEST} bytes")
    manifest = json.loads(data)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise Refused(
            "must be written by lopsided fit or lopsided.save, got an archive of another format"
        )
    found = manifest.get("format_version")
    if found != FORMAT_VERSION or isinstance(found, bool):
        raise Refused(
            f"must be of format {FORMAT_VERSION}, got format {_show(found)}. Read it with "
            f"lopsided {_show(written_by(manifest, 'lopsided'))}, which wrote it"
        )
    listed = manifest.get("members")
    if not isinstance(listed, dict) or not all(
        isinstance(own, dict) for own in listed.values()
    ):
        raise Refused("must have a manifest with its members, got none")
    return manifest


def written_by(manifest: Mapping[str, Any], package: str) -> str:
    """Return the version of a package that wrote a file."""
    versions = manifest.get("versions")
    return str(versions.get(package, "?")) if isinstance(versions, dict) else "?"


def _show(value: Any) -> str:
    return repr(abbreviate(str(value)))
