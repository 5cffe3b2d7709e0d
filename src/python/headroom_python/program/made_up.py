"""Files and folders of data that are not on this machine, made in the overlay when the program lists or opens them.

What a folder holds is what the code that lists it looks for: the endings that it names, or what its module can open."""

import dis
import json
import os
import re
import shutil
import sys
import threading

from . import csv_files
from .amounts_made_up import ENTRIES, PICTURE, RATE, SECONDS
from .needed import OUTPUTS, ends
from .packages import is_library, is_prepared

# Folders of classes: few, since a label beyond a model's own would be an error.
CLASSES = 10
ENDING = re.compile(r"\.(png|jpe?g|bmp|tiff?|webp|ppm|wav|txt|jsonl?)$", re.IGNORECASE)
OTHER = re.compile(r"\.[A-Za-z0-9]+$")
MAGIC = re.compile(r"[*?\[]")
# Pictures of classes instead of colors, by their folder or name.
MASKS = re.compile(r"mask|label|annot|segm|trimap|ground_?truth|(^|[/\\_-])gts?([/\\_.-]|$)", re.IGNORECASE)
# What keeps an empty folder in a repository.
KEEPERS = re.compile(r"^(\..*|read_?me.*)$", re.IGNORECASE)
# What says where the data are, beside none.
WORDS = re.compile(r"\.(txt|md|rst|url)$", re.IGNORECASE)
# A medical volume, which its reader makes.
VOLUME = ".nii.gz"
# What a module that has these names opens, if no ending is named.
OPENS = {"Image": ".png", "PIL": ".png", "cv2": ".png", "imageio": ".png", "read_image": ".png", "torchaudio": ".wav", "librosa": ".wav", "soundfile": ".wav", "nib": VOLUME, "nibabel": VOLUME}
ASKS_FOR_FOLDERS = ("isdir", "is_dir")
# Missing texts: printable letters as in English prose, and enough of them for any context.
LETTERS = "".join(map(chr, range(32, 127)))
CAPITALS = "0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ["  # of them: nothing in it separates or is quoted
TEXT_BYTES = 1 << 20
# A line of made-up JSON: whoever reads it gets a record that has whatever is asked of it.
MARK = {"headroom": "a made-up record"}


class MadeUp:
    """`above(path)`: the place of a path in the overlay; `makedirs` and `open_`: past the overlay."""

    def __init__(self, notes):
        self.notes, self.files = notes, set()
        self.making = threading.RLock()  # pools of processes are threads here
        self.texts = []  # names of missing files that have letters
        self.folders = {}  # made ones -> the ending of their files
        self.promised = {}  # names or paths of files that made-up data name -> what makes their contents
        self.patterns = {}  # ending, whether of masks -> a file that the others are links to

    def place(self, overlay):
        self.overlay = overlay
        return self

    # ---- files
    def file(self, whole, frame):
        """A missing file that the program opens, made in the overlay; whether it was."""
        ending, name = os.path.splitext(whole)[1].lower(), os.path.basename(whole)
        promised = self.promised.get(whole) or self.promised.get(name)
        if promised is not None:
            self._store(whole, promised())
            return True
        if ending not in (".txt", ".json", ".jsonl", ".csv", ".tsv") or is_prepared(frame):
            return False
        lines, what = csv_files.text(ending, frame, within, ENTRIES), f"{ENTRIES} made-up records"
        if lines is None and ending == ".txt" and _lists_files(whole, frame.f_code):
            lines = "".join(f"{i:05d}\n" for i in range(ENTRIES))
        if lines is not None:
            self.write(whole, lines)
        elif ending in (".csv", ".tsv"):
            return False
        else:
            self._store(whole, content(ending))
        if lines is None and ending == ".txt":
            what = f"{TEXT_BYTES >> 10} KiB of text"
            self.texts += [name] if name not in self.texts else []
        self.notes.add(f"{what} for {name}, which is missing")
        return True

    def texts_in(self, error):
        """The missing texts whose made-up letters an error complains about; none: it is about something else."""
        return self.texts if CAPITALS in str(error) else []

    def promise(self, path, of_classes=False):
        """A picture, made as soon as it is opened."""
        ending = os.path.splitext(path)[1].lower()
        self.promised[os.path.abspath(path)] = lambda: content(ending, of_classes)
        return path

    def write(self, whole, text):
        self._store(whole, text.encode())

    def _store(self, whole, content):
        above = self.overlay.above(whole)
        self.overlay._makedirs(os.path.dirname(above), exist_ok=True)
        with self.overlay._really_open(above, "wb") as file:
            file.write(content)

    # ---- folders
    def pictures(self, place):
        """A folder of pictures; their paths."""
        whole = os.path.abspath(place)
        self.overlay._makedirs(self.overlay.above(whole), exist_ok=True)
        self._fill(whole, "*.jpg", ".jpg")
        return [path for path in sorted(self.files) if os.path.dirname(path) == whole]

    def is_made(self, whole):
        return whole in self.files

    def folder(self, whole, names=()):
        """A missing folder that the program lists, or one that has only these names; whether it was made. What was made as a file may turn out
        to be one."""
        frame, through = _asker()
        if frame is None or (whole not in self.files and is_prepared(frame)):
            return False
        ending = _ending(frame, through)
        if ending is None or any(name.lower().endswith(ending) and not KEEPERS.match(name) for name in names):
            return False
        above = self.overlay.above(whole)
        if whole in self.files:
            self.overlay._unlink(above)
            self.files.discard(whole)
        self.overlay._makedirs(above, exist_ok=True)
        self.folders[whole] = ending
        has_classes = not self._below(whole) and _asks_for_folders(frame.f_code)
        for one in map(str, range(CLASSES)) if has_classes else _between(through):
            self.overlay._makedirs(os.path.join(above, one), exist_ok=True)
            self._fill(os.path.join(whole, one), _name(through, ending), ending)
        self.notes.add(f"{ENTRIES} made-up files ({ending}) for the folder {os.path.basename(whole)}, which is missing")
        return True

    def again(self, whole):
        """A made-up folder in which one file is looked for by its name alone: `name.*`."""
        last = _parts(_asker()[1])[-1]
        if last.endswith(".*") and not MAGIC.search(last[:-2]):
            self._link(whole, last[:-2] + self.folders[whole], self.folders[whole])

    def _below(self, whole):
        return any(one.startswith(whole + os.sep) or os.path.dirname(one) == os.path.dirname(whole) for one in self.files)

    def _fill(self, whole, naming, ending):
        for i in range(ENTRIES):
            self._link(whole, naming.replace("*", f"{i:05d}"), ending)

    def _link(self, whole, name, ending):
        path = os.path.join(whole, name)
        with self.making:
            if path not in self.files:
                _linked(self.overlay._link, self._pattern(ending, is_mask(path)), self.overlay.above(path))
                self.files.add(path)

    def _pattern(self, ending, of_classes):
        if (ending, of_classes) not in self.patterns:
            pattern = self.patterns[ending, of_classes] = os.path.join(self.overlay.scratch, f"pattern{int(of_classes)}{ending}")
            with self.overlay._really_open(pattern, "wb") as file:
                file.write(content(ending, of_classes))
        return self.patterns[ending, of_classes]


def is_mask(path):
    """By its folder's name or its own."""
    return MASKS.search(os.path.join(os.path.basename(os.path.dirname(path)), os.path.basename(path))) is not None


def is_empty(names, whole):
    """Whether a folder of data has nothing in it but what keeps it in a repository, or words."""
    return not OUTPUTS.search(os.path.basename(whole)) and all(KEEPERS.match(name) or WORDS.search(name) for name in names)


def _parts(patterns):
    """Of the whole pattern that a program looks for: its last levels may be looked for one by one."""
    return re.split(r"[\\/]", max((one for one in patterns if isinstance(one, str)), key=len, default=""))


def before_magic(pattern):
    """The folder in which a pattern begins to have wildcards."""
    parts = _parts([pattern])[:-1]
    first = next((i for i, part in enumerate(parts) if MAGIC.search(part)), len(parts))
    return os.path.join("", *parts[:first])


def _between(patterns):
    """The folders between a pattern's first wildcard and its files: `*/images/*.png` has `0/images`, `1/images` …"""
    parts = _parts(patterns)
    first = next((i for i, part in enumerate(parts) if MAGIC.search(part)), len(parts))
    folders = [part for part in parts[first:-1] if part != "**"]
    count = CLASSES if folders and MAGIC.search(folders[0]) else 1
    return [os.path.join("", *(re.sub(r"[*?]+", str(i), part) for part in folders)) for i in range(count)]


def _name(patterns, ending):
    """How files are called: as the pattern has it, else by numbers."""
    last = _parts(patterns)[-1]
    is_plain = last.count("*") == 1 and last.lower().endswith(ending) and not set("?[") & set(last)
    return last if is_plain else f"*{ending}"


def _linked(link, pattern, path):
    try:
        link(pattern, path)
    except OSError:  # an old Landlock, or a file system without links
        shutil.copyfile(pattern, path)


def content(ending, of_classes=False):
    if ending == VOLUME:
        return b""
    if ending == ".txt":
        return (LETTERS + "\n").encode() * (TEXT_BYTES // (len(LETTERS) + 1))
    if ending in (".json", ".jsonl"):
        rows = [json.dumps(MARK)] * ENTRIES
        return (f"[{', '.join(rows)}]" if ending == ".json" else "\n".join(rows)).encode()
    return _sound() if ending == ".wav" else _picture(ending, "L" if of_classes else "RGB")


def _picture(ending, mode):
    import io

    from PIL import Image

    out = io.BytesIO()
    (mask() if mode == "L" else Image.new(mode, PICTURE)).save(out, {".jpg": "JPEG", ".tif": "TIFF"}.get(ending, ending[1:].upper()))
    return out.getvalue()


def mask():
    """One object in the middle, of the first class: programs cut it out, or count it."""
    from PIL import Image

    out = Image.new("L", PICTURE)
    width, height = PICTURE
    out.paste(1, (width // 4, height // 4, width * 3 // 4, height * 3 // 4))
    return out


def _sound():
    import io
    import wave

    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(bytes(2 * SECONDS * RATE))
    return out.getvalue()


# Standard modules that list folders for their callers.
LISTERS = ("glob.py", "os.py", "pathlib.py", "fnmatch.py")


def _asker():
    """The program's frame that lists a folder, and the patterns on the way; None: a library does, or is prepared."""
    frame, through = sys._getframe(2), []
    while frame is not None:
        file = frame.f_code.co_filename
        if not is_library(file):
            return frame, through
        is_lister = os.path.basename(file) in LISTERS or f"{os.sep}pathlib{os.sep}" in file or file.startswith("<frozen")
        if not is_lister and f"{os.sep}headroom_python{os.sep}" not in file:
            return None, []
        through += [frame.f_locals.get(name) for name in ("pathname", "pattern")]
        frame = frame.f_back
    return None, []


def _ending(frame, patterns):
    """The ending of what the program looks for: of a pattern, named in the function, in its module, or by what that opens."""
    if any(isinstance(one, str) and OTHER.search(one) and not ENDING.search(one) for one in patterns):
        return None  # checkpoints, and what nobody can make up
    named = [*patterns, *_constants(frame.f_code), *frame.f_locals.values()]
    found = next(filter(None, map(_ending_in, named)), None)
    if found is None:
        found = next(filter(None, map(_ending_in, frame.f_globals.values())), None)
    if found is None:
        found = next((ending for name, ending in OPENS.items() if name in frame.f_globals), None)
    return found


def _ending_in(value):
    for text in value if isinstance(value, (tuple, list, set, frozenset)) else (value,):
        match = ENDING.search(text) if isinstance(text, str) and len(text) < 200 else None
        if match:
            return match[0].lower()
    return None


def within(code):
    """The code of a function with that of its comprehensions and lambdas, but not of functions that it defines."""
    yield code
    for one in code.co_consts:
        if hasattr(one, "co_consts") and one.co_name.startswith("<"):
            yield from within(one)


def _lists_files(whole, code):
    """Whether a text has names of files: its reader adds their ending, or it lies where PASCAL VOC has its lists."""
    return "ImageSets" in whole or any(one not in (".txt", ".json", ".jsonl") for one in filter(None, map(_ending_in, _constants(code))))


def _constants(code):
    return (one for part in within(code) for one in part.co_consts)


def _asks_for_folders(code):
    """Whether a function looks for folders in what it lists: it asks for more than whether that is there."""
    alone = ends(code.co_filename)
    for part in within(code):
        starts, line = dict(dis.findlinestarts(part)), None
        for one in dis.get_instructions(part):
            line = starts.get(one.offset) or line
            if one.argval in ASKS_FOR_FOLDERS and line not in alone:
                return True
    return False
