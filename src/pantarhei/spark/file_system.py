"""Folders on the file systems that Spark can write: local ones, and any other by Hadoop's `FileSystem`.

A file is written as a whole or not at all. The bytes pass through a local temporary file, since py4j, which
connects Python and Java, is slow with bytes.
"""

from __future__ import annotations

import os
import re
import tempfile
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from pantarhei.engine.checkpoint import write_whole
from pantarhei.errors import FileSystemError, OptionError, check_type
from pantarhei.spark.sessions import FAILURES

_SCHEME = re.compile("([A-Za-z][A-Za-z0-9+.-]+):/")


def folder_at(option: str, given: str | os.PathLike[str], spark: SparkSession) -> Folder:
    """Return the folder at a path or URI, which need not exist.

    Args:
        option: the option's name in errors.
        given: a path or a `file:` URI for a folder that the driver has mounted, or a URI of another scheme.
        spark: the session, whose configuration has the connectors and their credentials.

    Raises:
        OptionError: it is not a path, or empty, or a `file:` URI names a host.
        FileSystemError: the file system of the URI cannot be used.
    """
    expected = "a folder: a path, or a URI such as s3a://bucket/folder"
    check_type(option, given, (str, os.PathLike), expected)
    text = os.fspath(given)
    if not text:
        raise OptionError(option, repr(text), expected)
    scheme = _SCHEME.match(text)
    if scheme is None:
        return LocalFolder(Path(text))
    if scheme[1].lower() == "file":
        parts = urlsplit(text)
        if parts.netloc not in ("", "localhost"):
            raise OptionError(option, repr(text), "three slashes before the path: file:///folder")
        return LocalFolder(Path(url2pathname(parts.path)))
    return HadoopFolder(text, spark)


class Folder(ABC):
    """Folder on a file system; it need not exist. Names are those of its files and subfolders."""

    @property
    @abstractmethod
    def uri(self) -> str:
        """URI of the folder for Spark, without percent-encoding, which Hadoop does not decode."""

    @abstractmethod
    def __truediv__(self, name: str) -> Folder:
        """Return a subfolder."""

    @abstractmethod
    def make(self) -> None:
        """Create the folder and its parents if missing."""

    @abstractmethod
    def is_file(self) -> bool:
        """Return whether there is a file in the folder's place."""

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names in the folder, sorted, without those that begin with a dot; empty if there is no
        folder.
        """

    @abstractmethod
    def exists(self, name: str) -> bool:
        """Return whether a file or subfolder exists."""

    @abstractmethod
    def read(self, name: str) -> bytes:
        """Return the bytes of a file."""

    @abstractmethod
    def write(self, name: str, data: bytes) -> None:
        """Write a file, or replace it; after an error or a crash the old file is unchanged."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a file if it exists."""

    def source(self, name: str) -> Path | bytes:
        """Return a file as `StreamReasoner.restore` reads it: the path of a local file, otherwise its
        bytes.
        """
        return self.read(name)

    def place(self, name: str) -> str:
        """Return the path or URI of a file for messages."""
        return f"{self}/{name}"

    def read_text(self, name: str) -> str:
        """Return a file as text."""
        return self.read(name).decode()

    def write_text(self, name: str, text: str) -> None:
        """Write a file as `write`."""
        self.write(name, text.encode())


class LocalFolder(Folder):
    """Folder that this process has mounted.

    >>> with tempfile.TemporaryDirectory() as path:
    ...     folder = LocalFolder(Path(path)) / "answers"
    ...     folder.make()
    ...     folder.write_text("first", "1")
    ...     folder.names(), folder.read_text("first")
    (['first'], '1')
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def uri(self) -> str:
        return f"file://{self.path.resolve()}"

    def __truediv__(self, name: str) -> LocalFolder:
        return LocalFolder(self.path / name)

    def make(self) -> None:
        with self._refusals():
            self.path.mkdir(parents=True, exist_ok=True)

    def is_file(self) -> bool:
        with self._refusals():
            return self.path.exists() and not self.path.is_dir()

    def names(self) -> list[str]:
        with self._refusals():
            if not self.path.is_dir():
                return []
            return sorted(each.name for each in self.path.iterdir() if not each.name.startswith("."))

    def exists(self, name: str) -> bool:
        with self._refusals():
            return (self.path / name).exists()

    def read(self, name: str) -> bytes:
        with self._refusals(name):
            return (self.path / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        write_whole(self.path / name, data)

    def remove(self, name: str) -> None:
        with self._refusals(name):
            (self.path / name).unlink(missing_ok=True)

    def source(self, name: str) -> Path | bytes:
        return self.path / name

    @contextmanager
    def _refusals(self, name: str | None = None) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            place = str(self) if name is None else self.place(name)
            raise FileSystemError(place, error.strerror or str(error)) from error
        except ValueError:  # a null character
            raise FileSystemError(repr(str(self)), "there is a null character in the path") from None


OBJECT_STORES = frozenset({"cos", "cosn", "gs", "obs", "oss", "s3", "s3a", "s3n"})
"""Schemes of object stores, in which a file appears as a whole when its upload ends."""

_ABORTABLE = "fs.capability.outputstream.abortable"
_TEMPORARY, _COMPLETE = ".pantarhei-new", ".pantarhei-complete"
_REPLACING = frozenset({"hdfs"})


class HadoopFolder(Folder):
    """Folder on a file system of Hadoop, which Java accesses with the session's configuration.

    How a file is replaced depends on what is atomic on the file system:

    - An upload to an object store is atomic, but a renaming is not, since it copies. The file is uploaded
      directly.
    - Elsewhere a renaming is atomic. The file is written beside its place, and renamed.
    - Some file systems (`abfss`) do not rename to an existing file. Hadoop's `FileContext` does, but removes
      the old file first, except on `hdfs`. So the new file is first renamed to mark it as complete, and the
      old one removed. After a crash between the two, `make` renames the complete file to its place.

    On `file:`, Hadoop stores the checksum of a file in a hidden file, which cannot be replaced together with
    the file. It is removed first: a file without a checksum is valid.

    Args:
        uri: the URI of the folder, whose scheme may also be `file`.
        spark: the session.

    Raises:
        FileSystemError: the scheme has no connector, or its configuration is invalid. The methods raise this
            error if the file system refuses an operation.

    >>> with tempfile.TemporaryDirectory() as path:
    ...     folder = HadoopFolder(f"file:{path}", spark) / "answers"
    ...     folder.make()
    ...     folder.write_text("first", "1")
    ...     folder.names(), folder.read_text("first")
    (['first'], '1')
    """

    def __init__(self, uri: str, spark: SparkSession) -> None:
        self._uri = uri if uri.endswith(":/") else uri.rstrip("/")
        if is_remote():
            reason = (
                "Spark Connect has no access to this file system; give a path that this process has mounted"
            )
            raise FileSystemError(self._uri, reason)
        self._spark, self._hadoop = spark, spark._jvm.org.apache.hadoop  # type: ignore[union-attr]
        with self._refusals():
            # The configuration with which Spark itself writes its checkpoints.
            self._conf = spark._jsparkSession.sessionState().newHadoopConf()
            self._files = self._path().getFileSystem(self._conf)

    def __str__(self) -> str:
        return self._uri

    @property
    def uri(self) -> str:
        return self._uri

    def __truediv__(self, name: str) -> HadoopFolder:
        return HadoopFolder(self.place(name), self._spark)

    def make(self) -> None:
        with self._refusals():
            self._files.mkdirs(self._path())
            self._settle()

    def is_file(self) -> bool:
        with self._refusals():
            path = self._path()
            return bool(self._files.exists(path)) and not self._files.getFileStatus(path).isDirectory()

    def names(self) -> list[str]:
        with self._refusals():
            return sorted(name for name in self._all_names() if not name.startswith("."))

    def exists(self, name: str) -> bool:
        with self._refusals(name):
            return bool(self._files.exists(self._path(name)))

    def read(self, name: str) -> bytes:
        with self._refusals(name), tempfile.TemporaryDirectory(prefix="pantarhei-") as beside:
            copy = Path(beside, "copy")
            # Without Hadoop's checksum beside the copy.
            self._files.copyToLocalFile(False, self._path(name), self._local(copy), True)
            return copy.read_bytes()

    def write(self, name: str, data: bytes) -> None:
        with self._refusals(name), tempfile.TemporaryDirectory(prefix="pantarhei-") as beside:
            copy = Path(beside, "copy")
            copy.write_bytes(data)
            if self._uploads_are_atomic:
                self._files.copyFromLocalFile(False, True, self._local(copy), self._path(name))
            else:
                self._write_beside(name, copy)

    def remove(self, name: str) -> None:
        with self._refusals(name):
            self._files.delete(self._path(name), False)

    # Writing beside, and renaming

    @cached_property
    def _uploads_are_atomic(self) -> bool:
        scheme = self._uri.partition(":")[0].lower()
        return scheme in OBJECT_STORES or bool(self._files.hasPathCapability(self._path(), _ABORTABLE))

    def _write_beside(self, name: str, copy: Path) -> None:
        # A name of its own, so that two drivers by mistake do not write to one file.
        temporary = f".{name}.{uuid.uuid4().hex}{_TEMPORARY}"
        try:
            self._files.copyFromLocalFile(False, True, self._local(copy), self._path(temporary))
            for each in (temporary, name):
                self._files.delete(self._path(f".{each}.crc"), False)
            self._replace(temporary, name)
        except BaseException:
            self._files.delete(self._path(temporary), False)
            raise

    def _replace(self, temporary: str, name: str) -> None:
        if self._uri.partition(":")[0].lower() in _REPLACING:
            self._rename_over(temporary, name)
        elif not self._renames(temporary, name):
            complete = f".{name}{_COMPLETE}"
            if self._files.exists(self._path(complete)):
                self._settle(except_for=temporary)
            self._rename(temporary, complete)
            self._files.delete(self._path(name), False)
            self._rename(complete, name)

    def _rename_over(self, old: str, new: str) -> None:
        overwrite = self._hadoop.fs.Options.Rename.OVERWRITE
        arrays = self._spark._jvm.java.lang.reflect.Array  # type: ignore[union-attr]
        options = arrays.newInstance(overwrite.getClass(), 1)
        options[0] = overwrite
        context = self._hadoop.fs.FileContext.getFileContext(self._files.getUri(), self._conf)
        context.rename(self._path(old), self._path(new), options)

    def _renames(self, old: str, new: str) -> bool:
        """Rename a file; return false if the file system refuses it, such as for an existing file."""
        try:
            return bool(self._files.rename(self._path(old), self._path(new)))
        except FAILURES as failure:
            if any(name == "FileAlreadyExistsException" for name, _ in _causes(failure)):
                return False
            raise

    def _rename(self, old: str, new: str) -> None:
        if not self._renames(old, new):
            raise FileSystemError(self.place(new), f"{old} cannot be renamed to {new}")

    def _settle(self, except_for: str | None = None) -> None:
        """Complete or discard the files that writers left beside their places when they were killed."""
        if self._uploads_are_atomic:
            return
        found = set(self._all_names())
        for name in sorted(found):
            place = name[1 : -len(_COMPLETE)]
            if name.endswith(_COMPLETE) and place not in found:
                self._rename(name, place)
            elif name.endswith((_COMPLETE, _TEMPORARY)) and name != except_for:
                self._files.delete(self._path(name), False)

    # Java

    def _path(self, name: str | None = None) -> Any:
        return self._hadoop.fs.Path(self._uri if name is None else self.place(name))

    def _local(self, path: Path) -> Any:
        return self._hadoop.fs.Path(f"file://{path}")

    def _all_names(self) -> list[str]:
        path = self._path()
        if not self._files.exists(path):
            return []
        return [each.getPath().getName() for each in self._files.listStatus(path)]

    @contextmanager
    def _refusals(self, name: str | None = None) -> Iterator[None]:
        try:
            yield
        except FAILURES as failure:
            place = self._uri if name is None else self.place(name)
            version = self._hadoop.util.VersionInfo.getVersion()
            raise FileSystemError(place, reason_of(failure, place, version)) from failure


_CONNECTORS = {
    "abfs": "org.apache.hadoop:hadoop-azure",
    "abfss": "org.apache.hadoop:hadoop-azure",
    "gs": "org.apache.hadoop:hadoop-gcp",
    "s3a": "org.apache.hadoop:hadoop-aws",
}
"""Maven coordinates of the connectors by scheme."""

_ELSEWHERE = {
    "dbfs": "it exists on Databricks only",
    "s3": "outside of EMR, write s3a:// instead",
    "s3n": "write s3a:// instead",
}

_NO_CONNECTOR = ("UnsupportedFileSystemException", "ClassNotFoundException", "NoClassDefFoundError")
_NO_PERMISSION = ("AccessControlException", "AccessDeniedException", "NoAuthWithAWSException")
_MISSING = ("FileNotFoundException", "UnknownStoreException", "NoSuchBucketException")
_UNREACHABLE = (
    "UnknownHostException",
    "ConnectException",
    "NoRouteToHostException",
    "SocketTimeoutException",
)


def reason_of(failure: BaseException, uri: str, version: str) -> str:
    """Return why a file system refuses an operation, and a remedy, in one line.

    Args:
        failure: the failure of Java.
        uri: the URI of the file or folder.
        version: the version of Hadoop, which connectors must have.
    """
    causes = _causes(failure)
    classes = {name for name, _ in causes}
    said = next((text for _, text in reversed(causes) if text), causes[0][0])
    said = said.partition(" (Service: ")[0]  # Amazon appends the numbers of the request
    scheme = uri.partition(":")[0].lower()
    if classes.intersection(_NO_CONNECTOR):
        remedy = _ELSEWHERE.get(scheme)
        if remedy is None:
            # Hadoop knows the class, so that the artifact of its version exists.
            known = scheme in _CONNECTORS and "UnsupportedFileSystemException" not in classes
            jar = f"{_CONNECTORS[scheme]}:{version}" if known else "<its connector>"
            remedy = f"start Spark with its connector: spark-submit --packages {jar}"
        return f"Spark has no connector for {scheme} on its class path ({said}); {remedy}"
    if classes.intersection(_NO_PERMISSION):
        return f"permission denied ({said}); correct the credentials or the rights of this Spark session"
    if classes.intersection(_MISSING):
        return f"it does not exist ({said}); correct the URI, or create the bucket or container first"
    if classes.intersection(_UNREACHABLE):
        return f"its server cannot be reached ({said}); correct the address, or start the server"
    return f"the file system refuses: {causes[0][0]}: {said}"


def _causes(failure: BaseException) -> list[tuple[str, str]]:
    """Return the simple class name and the first line of the message of a failure of Java and of its
    causes.
    """
    found: list[tuple[str, str]] = []
    cause = getattr(failure, "java_exception", None) or getattr(failure, "_origin", None)
    while cause is not None and len(found) < 10:
        lines = (cause.getMessage() or "").splitlines()
        found.append((cause.getClass().getSimpleName(), lines[0][:300] if lines else ""))
        cause = cause.getCause()
    return found or [(type(failure).__name__, str(failure).partition("\n")[0][:300])]
