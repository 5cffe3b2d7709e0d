"""Data sets that are not on this machine: rows of their kind and size, with nothing in them."""

import torch

from . import rows
from .imported import when_imported
from .amounts_made_up import PICTURE


def install(notes):
    when_imported("torchvision.datasets", lambda module: _torchvision_data(module, notes))
    when_imported("datasets", lambda module: rows.install(module, notes))


# Pictures, classes, and rows of training and test of data sets that programs download.
PICTURES = {
    **{name: ((28, 28), 10, 60_000, 10_000) for name in ("MNIST", "FashionMNIST", "KMNIST", "QMNIST")},
    **{"CIFAR10": ((32, 32, 3), 10, 50_000, 10_000), "CIFAR100": ((32, 32, 3), 100, 50_000, 10_000)},
    **{"EMNIST": ((28, 28), 47, 112_800, 18_800), "SVHN": ((32, 32, 3), 10, 73_257, 26_032)},
    **{"STL10": ((96, 96, 3), 10, 5_000, 8_000), "Food101": ((512, 512, 3), 101, 75_750, 25_250)},
    **{"Flowers102": ((500, 500, 3), 102, 1_020, 6_149), "OxfordIIITPet": ((500, 400, 3), 37, 3_680, 3_669)},
    **{"ImageNet": ((375, 500, 3), 1000, 1_281_167, 50_000), "VOCSegmentation": ((375, 500, 3), 21, 1_464, 1_449)},
    **{"CelebA": ((218, 178, 3), 40, 162_770, 19_962), "LSUN": ((256, 256, 3), 10, 100_000, 10_000), "Caltech101": ((300, 200, 3), 101, 8_677, 8_677)},
    **{"Caltech256": ((375, 500, 3), 257, 30_607, 30_607), "StanfordCars": ((480, 700, 3), 196, 8_144, 8_041), "GTSRB": ((50, 50, 3), 43, 26_640, 12_630)},
    **{"EuroSAT": ((64, 64, 3), 10, 27_000, 27_000), "DTD": ((500, 500, 3), 47, 1_880, 1_880), "USPS": ((16, 16), 10, 7_291, 2_007)},
    **{"FGVCAircraft": ((750, 1_100, 3), 100, 3_334, 3_333), "PCAM": ((96, 96, 3), 2, 262_144, 32_768), "Places365": ((256, 256, 3), 365, 1_803_460, 36_500)},
}

# Those whose pictures are one tensor; of the others, they are one array.
TENSORS = ("MNIST", "FashionMNIST", "KMNIST", "QMNIST", "EMNIST")
# Folders of pictures: few classes, since a label beyond a model's own would be an error.
FOLDER = ((*PICTURE[::-1], 3), 10, 1_280, 320)


def _torchvision_data(module, notes):
    for name in ("ImageFolder", "DatasetFolder"):
        if hasattr(module, name):
            setattr(module, name, _or_blank(getattr(module, name), name, FOLDER, notes))
    for name, facts in PICTURES.items():
        if hasattr(module, name):
            setattr(module, name, _or_blank(getattr(module, name), name, facts, notes))


def _or_blank(really, name, facts, notes):
    shape, classes, training, testing = facts

    class Blank(torch.utils.data.Dataset):
        """Black pictures in the size of the data set."""

        def __init__(self, given, transform, trains):
            self.transform, self.target_transform, self.transforms = transform, given.get("target_transform"), given.get("transforms")
            self.has_masks = name == "VOCSegmentation" or "segmentation" in given.get("target_types", ())
            self.rows = training if trains else testing
            self.classes, self.targets = [str(i) for i in range(classes)], [0] * self.rows
            self.class_to_idx = {name: i for i, name in enumerate(self.classes)}
            self.samples = self.imgs = [("", 0)] * self.rows
            self.labels, self.data = self.targets, Pictures(shape, self.rows)
            if name in TENSORS:
                self.data = torch.zeros(1, *shape, dtype=torch.uint8).expand(self.rows, *shape)
                self.labels = self.targets = torch.zeros(self.rows, dtype=torch.long)

        def __len__(self):
            return self.rows

        def __getitem__(self, index):
            import numpy
            from PIL import Image

            picture = Image.fromarray(numpy.zeros(shape, dtype=numpy.uint8))
            target = Image.new("L", picture.size) if self.has_masks else torch.zeros(classes, dtype=torch.long) if name == "CelebA" else 0
            if self.transforms is not None:
                return self.transforms(picture, target)
            if self.transform is not None:
                picture = self.transform(picture)
            return picture, target if self.target_transform is None else self.target_transform(target)

    def blank(args, kwargs):
        notes.add(f"black pictures for {name}, which is missing")
        which = [*args[1:2], kwargs.get("train", kwargs.get("split", True))]
        trains = not any(one is False or one in ("test", "val") for one in which)
        transform = kwargs.get("transform") or next((one for one in args[1:] if callable(one)), None)
        return Blank(kwargs, transform, trains)

    class Meta(type(really)):
        def __call__(cls, *args, **kwargs):
            try:
                return super().__call__(*args, **kwargs)
            except Exception:
                if cls is not Either:
                    raise
                return blank(args, kwargs)

    class Inherited:
        """What a class of the program inherits: its own methods look into the same attributes."""

        def __init__(self, *args, **kwargs):
            try:
                really.__init__(self, *args, **kwargs)
            except Exception:
                if type(self) is Either:
                    raise
                self._headroom = blank(args, kwargs)
                self.__dict__.update(vars(self._headroom))

        def __len__(self):
            return len(self._headroom) if hasattr(self, "_headroom") else really.__len__(self)

        def __getitem__(self, index):
            return self._headroom[index] if hasattr(self, "_headroom") else really.__getitem__(self, index)

    Either = Meta(really.__name__, (Inherited, really), {})
    return Either


class Pictures:
    """All pictures of a data set in an array that is made when it is looked at."""

    def __init__(self, shape, rows):
        self.shape = (rows, *shape)

    def __len__(self):
        return self.shape[0]

    def __array__(self, dtype=None, copy=None):
        import numpy

        return numpy.zeros(self.shape, dtype=dtype or numpy.uint8)

    def __getitem__(self, key):
        import numpy

        one = numpy.zeros((1, *self.shape[1:]), dtype=numpy.uint8)
        return numpy.broadcast_to(one, self.shape)[key]
