"""Data sets of MMEngine (MMSegmentation, MMPretrain) that are not on this machine: pictures with what their own class says of them.

MMDetection's are COCO's (coco.py)."""

import functools
import os

from .amounts_made_up import ENTRIES
from .imported import when_imported


def install(overlay, notes):
    when_imported("mmengine.dataset.base_dataset", lambda module: _data(module.BaseDataset, overlay, notes))


def _data(Data, overlay, notes):
    really = Data.full_init

    @functools.wraps(really)
    def full_init(self):
        load = self.load_data_list

        def loaded():
            try:
                return load()
            except (OSError, AssertionError):
                rows = _rows(self, overlay)
                if rows is None:
                    raise
                notes.add(f"{len(rows)} made-up pictures for {type(self).__name__}, whose files are missing")
                return rows

        self.load_data_list = loaded
        try:
            return really(self)
        finally:
            del self.load_data_list

    Data.full_init = full_init


def _rows(data, overlay):
    """None: the folder of pictures is there, or its class says nothing of them."""
    prefix = getattr(data, "data_prefix", None) or {}
    pictures = prefix.get("img_path") or prefix.get("img") or getattr(data, "data_root", None)
    if not pictures or not overlay.is_missing(pictures):
        return None
    if hasattr(data, "seg_map_suffix"):
        return [_segmented(data, overlay, pictures, prefix.get("seg_map_path"), f"{i:05d}") for i in range(ENTRIES)]
    classes = len(data.metainfo.get("classes") or ())
    if not classes:
        return None
    return [{"img_path": overlay.made_up.promise(os.path.join(pictures, f"{i:05d}.jpg")), "gt_label": i % classes} for i in range(ENTRIES)]


def _segmented(data, overlay, pictures, maps, name):
    """As BaseSegDataset.load_data_list has its rows."""
    row = {"img_path": overlay.made_up.promise(os.path.join(pictures, name + data.img_suffix))}
    if maps is not None:
        row["seg_map_path"] = overlay.made_up.promise(os.path.join(maps, name + data.seg_map_suffix), of_classes=True)
    return {**row, "label_map": data.label_map, "reduce_zero_label": data.reduce_zero_label, "seg_fields": []}
