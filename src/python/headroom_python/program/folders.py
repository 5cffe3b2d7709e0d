"""Folders of checkpoints that torchtune and LitGPT read, where they are not on this machine: models as the recipe builds them.

torchtune: `training/checkpointing/_checkpointer.py` of 0.4 to 0.6. LitGPT: `utils.py` and `config.py` of 0.5."""

import json
import os

from .imported import when_imported
from .loading import WEIGHTS, Anything
from .vocabularies import SIZE, words


def install(overlay, notes):
    when_imported("torchtune.training.checkpointing._checkpointer", lambda module: _checkpointers(module, notes))
    when_imported("torchtune.training._distributed", _distributed)
    when_imported("litgpt.utils", lambda module: _litgpt(module, overlay.made_up, notes))


def _checkpointers(module, notes):
    for Class in list(vars(module).values()):
        if isinstance(Class, type) and Class.__module__ == module.__name__ and "checkpoint_files" in getattr(Class.__init__, "__annotations__", {}):
            _forgiving(Class, notes)


def _forgiving(Class, notes):
    begin, load = Class.__init__, Class.load_checkpoint

    def begun(self, checkpoint_dir, checkpoint_files, *args, **kwargs):
        self._headroom_missing = not _has_files(checkpoint_dir, checkpoint_files)
        if self._headroom_missing:
            notes.add(WEIGHTS)
        else:
            begin(self, checkpoint_dir, checkpoint_files, *args, **kwargs)

    def loaded(self, *args, **kwargs):
        return {"model": Anything()} if self._headroom_missing else load(self, *args, **kwargs)

    Class.__init__, Class.load_checkpoint = begun, loaded


def _has_files(folder, files):
    """Names, or a pattern with the number of the last one."""
    if not isinstance(files, (list, tuple)) and hasattr(files, "get"):
        last = str(files["max_filename"])
        files = [files["filename_format"].format(last)]
    return all(os.path.isfile(os.path.join(folder, file)) for file in files)


def _distributed(module):
    """Shards that were made on the meta device come to the GPU as they are."""
    really = module.load_from_full_model_state_dict

    def loaded(model, full_sd, device, *args, **kwargs):
        if not isinstance(full_sd, Anything):
            return really(model, full_sd, device, *args, **kwargs)
        model.to_empty(device="cpu" if kwargs.get("cpu_offload") else device)
        return model.load_state_dict(full_sd)

    module.load_from_full_model_state_dict = loaded


def _litgpt(module, made_up, notes):
    check, load = module.check_valid_checkpoint_dir, module.load_checkpoint

    def checked(checkpoint_dir, *args, **kwargs):
        if not (checkpoint_dir / "lit_model.pth").is_file():
            _made(module, made_up, checkpoint_dir)
        return check(checkpoint_dir, *args, **kwargs)

    def loaded(fabric, model, checkpoint_path, *args, **kwargs):
        if os.path.getsize(checkpoint_path) > 0:
            load(fabric, model, checkpoint_path, *args, **kwargs)
        notes.add(WEIGHTS)

    module.check_valid_checkpoint_dir, module.load_checkpoint = checked, loaded


def _made(module, made_up, folder):
    """What `litgpt download` leaves, for a model that LitGPT knows by its name."""
    from litgpt.config import Config

    try:
        config = Config.from_name(folder.name)
    except ValueError:
        return
    whole = os.path.abspath(folder)
    made_up.write(os.path.join(whole, "lit_model.pth"), "")
    made_up.write(os.path.join(whole, "tokenizer.json"), words(config.vocab_size or SIZE).to_str())
    made_up.write(os.path.join(whole, "tokenizer_config.json"), json.dumps({"bos_token": "<s>", "eos_token": "</s>", "tokenizer_class": "PreTrainedTokenizerFast"}))
    module.save_config(config, folder)
