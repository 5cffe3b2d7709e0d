"""Packages that this Python lacks and that no training needs: trackers, plots, progress bars. What they return is nothing at all."""

import ast
import dis
import importlib.abc
import importlib.machinery
import linecache
import os
import sys
import types

from ..protocol import Refusal
from . import own
from .releases import release_of

NEEDLESS = frozenset(
    "wandb tensorboard tensorboardX matplotlib seaborn plotly bokeh visdom neptune comet_ml mlflow clearml aim swanlab trackio dvclive"
    " tqdm progressbar alive_progress termcolor colorama colorlog coloredlogs loguru rich prettytable tabulate texttable icecream"
    " torchinfo torchsummary torchviz thop ptflops pytorch_model_summary gpustat pynvml GPUtil nvidia_smi psutil ipdb pudb"
    " dotenv gdown wget telegram slack_sdk streamlit gradio umap pytest torch_tb_profiler tensorboard_logger"
    " watermark evaluate jiwer seqeval sacrebleu rouge_score rouge bert_score pytorch_fid cleanfid torchprofile torchstat torchsummaryX calflops sacred ipywidgets IPython imageio_ffmpeg moviepy livelossplot hiddenlayer".split()
)

# What the hosts of notebooks put beside a program: secrets, files, drives. Programs ask by them where they run, too.
HOSTS = ("google.colab", "kaggle_secrets", "kaggle_web_client", "dbruntime")


class Nothing:
    """Anything that is asked of it is nothing again; it is empty, zero and true."""

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Nothing()

    def __call__(self, *args, **kwargs):
        # A decorator returns what it decorates.
        only = args[0] if len(args) == 1 and not kwargs else None
        return only if isinstance(only, (types.FunctionType, type)) else Nothing()

    def __iter__(self):
        return iter([Nothing() for _ in range(_unpacked(sys._getframe(1)))])

    def __getitem__(self, key):
        return Nothing()

    def __setitem__(self, key, value):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __len__(self):
        return 0

    def __bool__(self):
        return True

    def __str__(self):
        return ""

    def __int__(self):
        return 0

    def __float__(self):
        return 0.0

    def __add__(self, other):
        return other

    def __format__(self, _):
        return ""

    def __lt__(self, other):
        return False

    __gt__ = __le__ = __ge__ = __lt__
    __radd__ = __sub__ = __mul__ = __rmul__ = __truediv__ = __add__

    def __mro_entries__(self, bases):
        return (Empty,)


class Empty:
    """The base of classes that inherit from nothing."""

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


def _unpacked(frame):
    """How many names `a, b = nothing` has; 0 for loops."""
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset == frame.f_lasti:
            return instruction.arg if instruction.opname == "UNPACK_SEQUENCE" else 0
    return 0


class Bar:
    """A progress bar that shows nothing: what goes through it comes out."""

    def __init__(self, iterable=None, *args, total=None, **kwargs):
        self.iterable, self.total, self.n = iterable, total, 0

    def __iter__(self):
        return iter(() if self.iterable is None else self.iterable)

    def __len__(self):
        return len(self.iterable)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def update(self, n=1):
        self.n += n

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


class Module(types.ModuleType):
    __path__ = []
    __version__ = "99.0"

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Nothing()


def _bar(module):
    module.tqdm = module.auto = Bar
    module.trange = lambda *args, **kwargs: Bar(range(*args))
    Bar.write = staticmethod(lambda *args, **kwargs: None)


def _colors(module):
    module.colored = lambda text, *args, **kwargs: str(text)


def _tables(module):
    module.tabulate = lambda *args, **kwargs: ""


# What a program goes on with.
RETURNS = {"tqdm": _bar, "termcolor": _colors, "tabulate": _tables}


def _importer(top):
    """The frame of the program that imports it; None: libraries ask what there is, and do without."""
    frame = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if frame.f_code.co_name == "find_spec" and file.endswith("util.py"):
            return None
        if not file.startswith("<frozen importlib"):
            of_torch = top == "tensorboard" and f"torch{os.sep}utils{os.sep}tensorboard" in file
            return frame if of_torch or not is_library(file) else None
        frame = frame.f_back
    return None


STANDARD = os.path.dirname(os.__file__) + os.sep


def is_library(file):
    return "site-packages" in file or file.startswith((STANDARD, "<")) or f"{os.sep}headroom_python{os.sep}" in file


def is_prepared(frame):
    """Whether who opens a file is a library, or is prepared for one that is not there."""
    while frame.f_back is not None and f"{os.sep}pathlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return is_library(frame.f_code.co_filename) or is_tried(frame)


def is_tried(frame):
    """Whether the program goes on without what is not there: not if it only raises another error."""
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
    except SyntaxError:
        return True
    tries = (node for node in ast.walk(tree) if isinstance(node, ast.Try) and any(not isinstance(one.body[-1], ast.Raise) for one in node.handlers))
    return any(node.body[0].lineno <= frame.f_lineno <= node.body[-1].end_lineno for node in tries)


class Lacking(types.ModuleType):
    """A package that the program imports and perhaps never uses: what is used of it is refused by name."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Part(self.__name__)


class Part:
    def __init__(self, package):
        object.__setattr__(self, "_package", package.split(".")[0])

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **kwargs):
        raise lacking(self._package)

    def __mro_entries__(self, bases):
        package = self._package

        class Base:
            def __init__(self, *args, **kwargs):
                raise lacking(package)

        return (Base,)

    __iter__ = __len__ = __getitem__ = __enter__ = __call__


def lacked(name):
    """The package, or the module that a package of another release had."""
    top = name.split(".")[0]
    return name if getattr(sys.modules.get(top), "__file__", None) else top


def lacking(name):
    package = name.split(".")[0]
    if package != name:
        return Refusal("release", f"the program needs {name}, which the installed {package} {release_of(package)} does not have")
    known = DISTRIBUTIONS.get(name) or own.requirement(name, os.getcwd()) or (name if name in SAME else None)
    if known is None:  # somebody else's package may have the name
        return Refusal("packages", f"the program needs {name}, which this Python lacks; its package may have another name")
    return Refusal("packages", f"the program needs {name}, which this Python lacks", missing=[known], executable=sys.executable)


# Packages that are called on the index as in Python.
SAME = frozenset(
    "torchvision torchaudio torchtext torchmetrics torchdata torchao transformers datasets accelerate peft trl diffusers timm lightning"
    " pytorch_lightning sentence_transformers deepspeed bitsandbytes xformers flash_attn unsloth vllm einops sentencepiece tiktoken tokenizers"
    " safetensors numpy scipy pandas pyarrow omegaconf albumentations monai ultralytics librosa soundfile speechbrain nltk spacy gensim h5py"
    " lmdb numba kornia lpips optuna ray gymnasium fire click typer pydantic requests ftfy av decord nibabel pydicom".split()
)
# Packages whose name on the index is another one, which is somebody else's or nobody's.
DISTRIBUTIONS = {
    **{"cv2": "opencv-python", "PIL": "pillow", "sklearn": "scikit-learn", "skimage": "scikit-image", "yaml": "pyyaml", "ot": "POT"},
    **{"bs4": "beautifulsoup4", "git": "GitPython", "hydra": "hydra-core", "faiss": "faiss-cpu", "open_clip": "open-clip-torch"},
    **{"whisper": "openai-whisper", "pl_bolts": "lightning-bolts", "absl": "absl-py", "box": "python-box", "dateutil": "python-dateutil", "Bio": "biopython", "pkg_resources": "setuptools==80.9.0"},
}


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last one that is asked: the package is not here."""

    def __init__(self, notes, folder):
        self.notes, self.folder = notes, folder

    def find_spec(self, wanted, path=None, target=None):
        top = wanted.split(".")[0]
        if any(f"{host}.".startswith(f"{wanted}.") or wanted.startswith(f"{host}.") for host in HOSTS):
            return self._of_host(wanted, _importer(wanted))
        if top != wanted and not isinstance(sys.modules.get(top), (Module, Lacking)):
            return None
        if top != wanted and top in NEEDLESS:  # libraries look into what is there already
            return importlib.machinery.ModuleSpec(wanted, self, is_package=True)
        frame = _importer(top)
        if frame is None:
            return None
        if top in NEEDLESS:
            self.notes.add(f"nothing for {top}, which this Python lacks")
        elif top == wanted and (found := own.spec_of(top, self.folder)) is not None:
            self.notes.add(f"the project's own {top}, which is not installed here")
            return found
        elif top in sys.builtin_module_names or is_tried(frame):
            return None
        return importlib.machinery.ModuleSpec(wanted, self, is_package=True)

    def _of_host(self, wanted, frame):
        if frame is None or is_tried(frame):
            return None
        self.notes.add(f"nothing for {wanted}, which notebooks have elsewhere")
        return importlib.machinery.ModuleSpec(wanted, self, is_package=True)

    def create_module(self, spec):
        top = spec.name.split(".")[0]
        return Module(spec.name) if top in NEEDLESS or any(host.split(".")[0] == top for host in HOSTS) else Lacking(spec.name)

    def exec_module(self, module):
        change = RETURNS.get(module.__name__.split(".")[0])
        if change is not None:
            change(module)


def install(notes, folder):
    sys.meta_path.append(Finder(notes, folder))
