"""What the program writes goes to a folder of its own, and it reads it there again: its files stay as they are."""

import builtins
import io
import os
import pathlib
import shutil
import sys

from .code import CONFIGS
from .imported import when_imported
from .made_up import before_magic, is_empty

# Larger files are not copied to be changed: they are data or checkpoints.
MOST_COPIED = 64 << 20


class Overlay:
    def __init__(self, scratch, made_up):
        """`made_up`: what stands in for data that are not there."""
        self.made_up = made_up.place(self)
        self.scratch = os.path.join(os.path.realpath(scratch), "")
        self.files = os.path.join(self.scratch, "files")
        self.gone = set()
        self.written = 0
        self.configs = set()  # that the program read
        os.makedirs(self.files, exist_ok=True)

    def _absolute(self, path):
        """None for what is no path of the user's: descriptors, devices, the overlay itself, an empty word."""
        text = "" if isinstance(path, int) else os.fsdecode(path)
        if text == "":
            return None
        whole = os.path.abspath(text)
        return None if (whole + os.sep).startswith((self.scratch, "/dev/", "/proc/", "/sys/")) else whole

    def above(self, whole):
        return self.files + os.path.splitdrive(whole)[1]

    def read(self, path):
        whole = self._absolute(path)
        if whole is None:
            return path
        above = self.above(whole)
        return above if whole in self.gone or self._lexists(above) else path

    def write(self, path, keeps):
        """The place to write to; `keeps`: what is there already stays."""
        whole = self._absolute(path)
        if whole is None:
            return path
        above = self.above(whole)
        if not self._lexists(above):
            folder = os.path.dirname(whole)
            if not self._exists(folder) and not self._exists(self.above(folder)):
                # Folders of logs and checkpoints that are in no repository: nothing of what is in them stays anyway.
                self.made_up.notes.add(f"the folder {os.path.basename(folder)} to write to, which is missing")
            self._makedirs(os.path.dirname(above), exist_ok=True)
            if keeps and whole not in self.gone and os.path.isfile(whole) and self._size(whole) <= MOST_COPIED:
                shutil.copyfile(whole, above)
            self.written += 1
        self.gone.discard(whole)
        return above

    def folder(self, path):
        """The place of a new folder."""
        whole = self._absolute(path)
        if whole is None:
            return path
        if whole not in self.gone and self._exists(whole):
            raise FileExistsError(17, "File exists", os.fsdecode(path))
        above, parent = self.above(whole), os.path.dirname(whole)
        if self._exists(parent):
            self._makedirs(os.path.dirname(above), exist_ok=True)
        self.gone.discard(whole)
        return above

    def remove(self, path, really):
        whole = self._absolute(path)
        if whole is None:
            return really(path)
        above = self.above(whole)
        there = self._lexists(above)
        if not there and (whole in self.gone or not self._lexists(whole)):
            raise FileNotFoundError(2, "No such file or directory", os.fsdecode(path))
        self.gone.add(whole)
        return really(above) if there else None

    def is_missing(self, path):
        whole = self._absolute(path)
        return whole is not None and not self._exists(self.read(path))

    def _listed(self, path):
        """Its folder and that of the overlay, after what is missing was made up."""
        whole = self._absolute(path)
        if whole is None:
            return None, None
        above = self.above(whole)
        if whole in self.made_up.folders:
            self.made_up.again(whole)
        elif whole not in self.gone and (self.made_up.is_made(whole) or not self._exists(above) and self._is_bare(whole)):
            self.made_up.folder(whole, self._names(whole) if self._is_folder(whole) else ())
        return whole, above

    def _is_bare(self, whole):
        return not self._exists(whole) or self._is_folder(whole) and is_empty(self._names(whole), whole)

    def install(self):
        stat, lstat, self._makedirs = os.stat, os.lstat, os.makedirs
        self._exists = lambda path: _found(stat, path)
        self._lexists = lambda path: _found(lstat, path)
        self._size = lambda path: stat(path).st_size
        self._is_folder, self._names = os.path.isdir, os.listdir
        self._really_open = really_open = builtins.open
        mkdir = os.mkdir

        def makedirs(name, mode=0o777, exist_ok=False):
            # Of the overlay itself: past what is replaced below.
            head = os.path.dirname(os.path.normpath(name))
            if head and not _found(stat, head):
                makedirs(head, mode, True)
            try:
                mkdir(name, mode)
            except FileExistsError:
                if not exist_ok:
                    raise

        self._makedirs = makedirs

        def opened(file, mode="r", *args, **kwargs):
            if not isinstance(file, int):
                writes = any(letter in mode for letter in "wax+")
                if not writes and str(file).endswith(CONFIGS):
                    self.configs.add(os.path.abspath(os.fsdecode(file)))
                file = self.write(file, keeps="w" not in mode) if writes else self.read(file)
                if not writes and self.is_missing(file) and self.made_up.file(self._absolute(file), sys._getframe(1)):
                    file = self.read(file)
            return really_open(file, mode, *args, **kwargs)

        builtins.open = io.open = opened
        self._low_level()

    def _low_level(self):
        low = os.open

        def opened(path, flags, mode=0o777, *, dir_fd=None):
            if dir_fd is None:
                writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
                path = self.write(path, keeps=not flags & os.O_TRUNC) if writes else self.read(path)
            return low(path, flags, mode) if dir_fd is None else low(path, flags, mode, dir_fd=dir_fd)

        os.open = opened
        for name in ("stat", "lstat", "access", "readlink", "statvfs"):
            if hasattr(os, name):
                setattr(os, name, self._reading(getattr(os, name)))
        chdir = os.chdir
        os.chdir = lambda path: chdir(self._folder_of_its_own(path))
        for name in ("chmod", "utime", "chown", "truncate", "setxattr"):
            if hasattr(os, name):
                setattr(os, name, self._changing(getattr(os, name)))
        mkdir, remove, rmdir, rename = os.mkdir, os.remove, os.rmdir, os.rename
        symlink, link = os.symlink, os.link
        self._unlink, self._link = remove, link
        os.mkdir = lambda path, mode=0o777, *, dir_fd=None: mkdir(self.folder(path), mode)
        os.remove = os.unlink = lambda path, *, dir_fd=None: self.remove(path, remove)
        os.rmdir = lambda path, *, dir_fd=None: self.remove(path, rmdir)
        shutil._use_fd_functions = False  # Paths are followed, descriptors of folders are not.

        def renamed(source, target, *, src_dir_fd=None, dst_dir_fd=None):
            here = self.write(source, keeps=True)
            rename(here, self.write(target, keeps=False))
            whole = self._absolute(source)
            if whole is not None:
                self.gone.add(whole)

        os.rename = os.replace = renamed
        os.symlink = lambda source, target, *args, **kwargs: symlink(source, self.write(target, keeps=False))
        os.link = lambda source, target, *args, **kwargs: link(self.read(source), self.write(target, keeps=False))
        self._listing()

    def _folder_of_its_own(self, path):
        """Where both have a folder, the user's: seen from the overlay's, paths would be the overlay's own."""
        whole = self._absolute(path)
        return path if whole is not None and whole not in self.gone and self._exists(whole) else self.read(path)

    def _reading(self, really):
        def read(path, *args, **kwargs):
            return really(path if kwargs.get("dir_fd") is not None else self.read(path), *args, **kwargs)

        return read

    def _changing(self, really):
        def change(path, *args, **kwargs):
            return really(self.write(path, keeps=True), *args, **kwargs)

        return change

    def _listing(self):
        listdir, scandir = os.listdir, os.scandir

        def names(path="."):
            whole, above = self._listed(path)
            if above is None or not self._exists(above):
                return [name for name in listdir(path) if whole is None or os.path.join(whole, name) not in self.gone]
            below = listdir(path) if self._exists(whole) and whole not in self.gone else []
            kept = [name for name in below if os.path.join(whole, name) not in self.gone]
            return [*kept, *(name for name in listdir(above) if name not in kept)]

        def entries(path="."):
            whole, above = self._listed(path)
            if above is None or not self._exists(above):
                return scandir(path)
            return Entries(scandir(above), scandir(path) if self._exists(whole) and whole not in self.gone else None)

        os.listdir, os.scandir = names, entries
        for name in ("glob", "rglob"):
            setattr(pathlib.Path, name, self._globbing(getattr(pathlib.Path, name)))
        _in_pathlib()
        self._arrow()

    def _arrow(self):
        """Arrow opens files outside of Python: data sets read what they have just written with it."""

        def memory_map(module):
            really = module.memory_map
            module.memory_map = lambda path, mode="r": really(os.fspath(self.read(path) if mode == "r" else self.write(path, keeps=mode == "r+")), mode)
            stream = module.input_stream
            module.input_stream = lambda source, *args, **kwargs: stream(self._read_if_path(source), *args, **kwargs)

        def parquet(module):
            for name in ("read_table", "read_schema", "read_metadata"):
                setattr(module, name, lambda source, *args, _really=getattr(module, name), **kwargs: _really(self._read_if_path(source), *args, **kwargs))

        when_imported("pyarrow", memory_map)
        when_imported("pyarrow.parquet", parquet)

    def _read_if_path(self, source):
        return os.fspath(self.read(source)) if isinstance(source, (str, os.PathLike)) and "://" not in str(source) else source

    def _globbing(self, really):
        def glob(path, pattern, *args, **kwargs):
            self._listed(os.path.join(path, before_magic(pattern)))  # paths only look into folders that are there
            return really(path, pattern, *args, **kwargs)

        return glob


def _in_pathlib():
    """Until Python 3.10 paths keep functions of their own, as they were when pathlib was imported."""
    accessor = getattr(pathlib, "_NormalAccessor", None)
    for name in vars(accessor) if accessor is not None else ():
        if not name.startswith("_") and callable(getattr(os, name, None)):
            is_of_io = name == "open" and sys.version_info >= (3, 10)
            setattr(accessor, name, staticmethod(io.open if is_of_io else getattr(os, name)))


class Entries:
    """Both folders' entries, as os.scandir returns them."""

    def __init__(self, above, below):
        self.parts = [part for part in (above, below) if part is not None]
        self.seen = set()
        self.all = (entry for part in self.parts for entry in part if entry.name not in self.seen and not self.seen.add(entry.name))

    def __iter__(self):
        return self.all

    def __next__(self):
        return next(self.all)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for part in self.parts:
            part.close()


def _found(look, path):
    try:
        look(path)
    except (OSError, ValueError):
        return False
    return True
