"""Ultralytics without its files: a checkpoint is the model of its name, and missing pictures have polygons, which all tasks read as theirs."""

import os

from .imported import when_imported
from .loading import WEIGHTS
from .amounts_made_up import ENTRIES

# What the end of a model's name means.
CLASSES = {"-seg": "SegmentationModel", "-pose": "PoseModel", "-cls": "ClassificationModel", "-obb": "OBBModel"}
# As many as a picture of COCO has objects.
OBJECTS = 7


def install(overlay, notes):
    when_imported("ultralytics.nn.tasks", lambda module: _weights(module, notes))
    # Forward passes of another model on a picture, whose values decide whether mixed precision is used.
    when_imported("ultralytics.utils.checks", lambda module: setattr(module, "check_amp", lambda model: True))
    when_imported("ultralytics.data.utils", lambda module: _data(module, overlay, notes))


def _weights(module, notes):
    really = module.torch_safe_load

    def loaded(weight, *args, **kwargs):
        if os.path.exists(weight):
            return really(weight, *args, **kwargs)
        stem = os.path.splitext(os.path.basename(str(weight)))[0]
        kind = next((name for end, name in CLASSES.items() if stem.endswith(end)), "DetectionModel")
        model = getattr(module, kind)(f"{stem}.yaml", verbose=False)
        notes.add(WEIGHTS)
        return {"model": model, "train_args": {}}, str(weight)

    module.torch_safe_load = loaded


def _data(module, overlay, notes):
    really = module.check_det_dataset

    def checked(dataset, *args, **kwargs):
        import yaml

        file = module.check_file(dataset)
        with open(file, encoding="utf-8") as opened:
            data = yaml.safe_load(opened)
        root = data.get("path") or os.path.dirname(os.path.abspath(file))
        root = root if os.path.isabs(root) or os.path.exists(root) else os.path.join(module.DATASETS_DIR, root)
        for which in ("train", "val"):
            for path in data[which] if isinstance(data.get(which), list) else [data.get(which)]:
                place = path and os.path.join(root, path)
                if place and not os.path.exists(place):
                    _made(module, overlay.made_up, place)
                    notes.add(f"{ENTRIES} made-up pictures with {OBJECTS} objects for {os.path.basename(place)}, which is missing")
        return really(dataset, *args, **kwargs)

    module.check_det_dataset = checked


def _made(module, made_up, place):
    files = made_up.pictures(place)
    lines = (f"0 {left:.2f} 0.4 {left + 0.1:.2f} 0.4 {left + 0.1:.2f} 0.6 {left:.2f} 0.6" for left in (0.1 * (i + 1) for i in range(OBJECTS)))
    text = "\n".join(lines)
    for path in module.img2label_paths(files):
        made_up.write(path, text)
