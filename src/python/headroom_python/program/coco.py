"""Annotations in COCO's format that are not on this machine: pictures with as many objects as COCO's have, and what the program asks of them."""

import inspect
import io
import os

from .imported import when_imported
from .amounts_made_up import ENTRIES
from .yolo import OBJECTS

# As wide as COCO's pictures, and of a shape that fills 1333 × 800, as some of them do: a batch of those needs most.
WIDTH, HEIGHT = 640, 384
POINTS = 17  # of a person, where files are named after them


def install(overlay, notes):
    when_imported("pycocotools.coco", lambda module: _annotations(module.COCO, overlay, notes))


def _annotations(COCO, overlay, notes):
    really, ids = COCO.__init__, COCO.getCatIds

    def init(self, annotation_file=None):
        self._is_made = isinstance(annotation_file, (str, os.PathLike)) and overlay.is_missing(annotation_file)
        if not self._is_made:
            return really(self, annotation_file)
        name = os.path.basename(annotation_file)
        really(self)
        self.dataset = _dataset("keypoint" in name)
        self.createIndex()
        for one in self.dataset["images"]:
            overlay.made_up.promised[one["file_name"]] = _picture
        notes.add(f"{ENTRIES} made-up pictures with {OBJECTS} objects for {name}, which is missing")

    def asked(self, catNms=[], *args, **kwargs):
        """Of made-up objects the classes are those that the program names."""
        names = list(catNms) if isinstance(catNms, (list, tuple)) else [catNms]
        if self._is_made and not {one["name"] for one in self.dataset["categories"]}.issuperset(names):
            self.dataset["categories"] = [{"id": i + 1, "name": name, "supercategory": "none"} for i, name in enumerate(names)]
            _spread(self.dataset)
            self.createIndex()
        return ids(self, catNms, *args, **kwargs)

    asked.__signature__ = inspect.signature(ids)
    COCO.__init__, COCO.getCatIds = init, asked


def _dataset(has_points):
    images = [{"id": i + 1, "file_name": f"{i + 1:012d}.jpg", "width": WIDTH, "height": HEIGHT} for i in range(ENTRIES)]
    dataset = {"info": {}, "images": images, "annotations": [], "categories": _categories(has_points)}
    for image in images:
        dataset["annotations"] += [_object(image["id"], i, has_points) for i in range(OBJECTS)]
    _spread(dataset)
    return dataset


def _categories(has_points):
    """COCO's own, as torchvision has them by their numbers."""
    try:
        from torchvision.models._meta import _COCO_CATEGORIES as names
    except ImportError:
        names = ["__background__", "person"]
    named = [(i, name) for i, name in enumerate(names) if i and name != "N/A"]
    points = {"keypoints": [str(i) for i in range(POINTS)], "skeleton": []}
    out = [{"id": i, "name": name, "supercategory": "none"} for i, name in named]
    return [{**out[0], **points}] if has_points else out


def _object(image, i, has_points):
    """Side by side, each a fifth of the picture high."""
    width, height = WIDTH // (OBJECTS + 1), HEIGHT // 5
    left, top = i * width + width // 2, HEIGHT * 2 // 5
    corners = [left, top, left + width, top, left + width, top + height, left, top + height]
    points = {"keypoints": [left, top, 2] * POINTS, "num_keypoints": POINTS} if has_points else {}
    return {"id": image * OBJECTS + i, "image_id": image, "bbox": [left, top, width, height], "area": width * height, "segmentation": [corners], "iscrowd": 0, **points}


def _spread(dataset):
    categories = [one["id"] for one in dataset["categories"]]
    for i, one in enumerate(dataset["annotations"]):
        one["category_id"] = categories[i % len(categories)]


def _picture():
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT)).save(out, "JPEG")
    return out.getvalue()
