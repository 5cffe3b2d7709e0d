"""Libraries that open pictures and sounds past Python: they read the overlay, and blanks in place of what is missing."""

import functools
import inspect
import os
import sys

from .imported import when_imported
from .amounts_made_up import PICTURE, RATE, SECONDS
from .made_up import is_mask, mask
from .packages import is_library, is_prepared


def install(overlay, notes):
    def reads(module, names, made):
        when_imported(module, lambda found: _wrapped(found, names, made, overlay, notes))

    reads("cv2", ("imread",), _cv2)
    reads("PIL.Image", ("open",), _pil)
    reads("torchvision.io", ("read_image", "decode_image"), _tensor)
    reads("torchvision.io.image", ("read_image", "decode_image"), _tensor)
    for module in ("imageio", "imageio.v2", "imageio.v3", "skimage.io", "matplotlib.image", "matplotlib.pyplot", "tifffile"):
        reads(module, ("imread",), lambda given: _pixels(False))
    reads("torchaudio", ("load",), lambda given: (_torch().zeros(1, SECONDS * RATE), RATE))
    reads("librosa", ("load",), lambda given: _heard(given.get("sr", 22_050), given.get("duration")))
    reads("librosa.core.audio", ("load",), lambda given: _heard(given.get("sr", 22_050), given.get("duration")))
    reads("soundfile", ("read",), lambda given: _heard(RATE, None))
    reads("scipy.io.wavfile", ("read",), lambda given: _heard(RATE, None)[::-1])
    when_imported("nibabel", lambda module: _volumes(module, overlay, notes))
    when_imported("monai.transforms.io.array", lambda module: _monai(module, overlay, notes))
    when_imported("cv2", lambda module: _writes(module, overlay))


# A head in steps of a millimeter, as BraTS has it. Networks see patches of it.
VOLUME = (240, 240, 155)
VOLUMES = "made-up volumes of 240 × 240 × 155 for files that are missing"


def _volumes(module, overlay, notes):
    really = module.load

    def load(filename, *args, **kwargs):
        if not overlay.is_missing(filename) and not overlay.made_up.is_made(os.path.abspath(filename)):
            return really(overlay.read(filename), *args, **kwargs)
        import numpy

        notes.add(VOLUMES)
        return module.Nifti1Image(numpy.zeros(VOLUME, dtype=numpy.float32), numpy.eye(4))

    module.load = load


def _monai(module, overlay, notes):
    """Its readers look into files by themselves: several files are the channels of one volume."""
    really = module.LoadImage.__call__

    def loaded(self, filename, reader=None):
        files = list(filename) if isinstance(filename, (list, tuple)) else [filename]
        if not any(isinstance(one, (str, os.PathLike)) and not overlay.is_missing(one) for one in files):
            notes.add(VOLUMES)
            has_channels = len(files) > 1 or self.ensure_channel_first
            shape = (len(files), *VOLUME) if has_channels else VOLUME
            channels = 0 if len(files) > 1 else float("nan")  # as MONAI says that there are none
            out = module.MetaTensor(_torch().zeros(shape), meta={"filename_or_obj": str(files[0]), "original_channel_dim": channels})
            return out if self.image_only else (out, out.meta)
        return really(self, filename, reader)

    module.LoadImage.__call__ = loaded


def _torch():
    import torch

    return torch


def _pixels(is_gray):
    import numpy

    return numpy.zeros(PICTURE[::-1] if is_gray else (*PICTURE[::-1], 3), dtype=numpy.uint8)


def _cv2(given):
    if not is_mask(os.fspath(given["filename"])):
        return _pixels(given.get("flags") == 0)
    import numpy

    one = numpy.asarray(mask())
    return one.copy() if given.get("flags") in (0, -1) else numpy.stack([one] * 3, axis=-1)


def _pil(given):
    from PIL import Image

    return mask() if is_mask(os.fspath(given["fp"])) else Image.new("RGB", PICTURE)


def _tensor(given):
    torch = _torch()
    if is_mask(os.fspath(given[next(iter(given))])):
        import numpy

        return torch.from_numpy(numpy.array(mask()))[None]
    channels = 1 if "GRAY" in str(given.get("mode", "")) else 3
    return torch.zeros(channels, *PICTURE[::-1], dtype=torch.uint8)


def _heard(rate, seconds):
    import numpy

    return numpy.zeros(int((rate or RATE) * (seconds or SECONDS)), dtype=numpy.float32), rate or RATE


def _wrapped(module, names, made, overlay, notes):
    for name in names:
        really = getattr(module, name, None)
        if really is not None and not hasattr(really, "_headroom_reads"):
            setattr(module, name, _reader(really, made, overlay, notes))


def _reader(really, made, overlay, notes):
    try:
        parameters = list(inspect.signature(really).parameters)
    except (TypeError, ValueError):
        parameters = ["filename", "flags"]  # cv2.imread

    @functools.wraps(really)
    def read(*args, **kwargs):
        given = {**dict(zip(parameters, args)), **kwargs}
        path = given.get(parameters[0])
        if not isinstance(path, (str, os.PathLike)):
            return really(*args, **kwargs)
        frame = sys._getframe(1)
        if overlay.is_missing(path) and not is_library(frame.f_code.co_filename) and not is_prepared(frame):
            notes.add(f"blanks for files of {os.path.basename(os.path.dirname(os.path.abspath(path)))}, which are missing")
            return made(given)
        return really(overlay.read(path), *args[1:], **kwargs) if args else really(**{**kwargs, parameters[0]: overlay.read(path)})

    read._headroom_reads = True
    return read


def _writes(module, overlay):
    really = module.imwrite
    module.imwrite = lambda filename, *args, **kwargs: really(str(overlay.write(filename, keeps=False)), *args, **kwargs)
