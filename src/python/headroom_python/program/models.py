"""`from_pretrained` needs a model's config only: weights are as its code makes them."""

import copy
import functools
import os
import tempfile

import torch

from ..protocol import Refusal
from . import diffusion, flash, quantized
from .imported import when_imported
from .loading import WEIGHTS
from .sizes import SIZES


def install(notes, catalog):
    """`catalog`: facts of models by name, for those whose config.json is not on this machine."""
    when_imported("huggingface_hub.constants", lambda module: setattr(module, "HF_HUB_OFFLINE", True))
    when_imported("transformers.configuration_utils", lambda module: _configs(module, notes, catalog))
    when_imported("transformers.models.auto.configuration_auto", lambda module: _auto_configs(module, notes, catalog))
    when_imported("transformers.modeling_utils", lambda module: _models(module, notes))
    when_imported("transformers.models.auto.auto_factory", _adapters)
    for place, name in (("base.model", "BaseModel"), ("SentenceTransformer", "SentenceTransformer")):  # from 6.0 on, and before
        when_imported(f"sentence_transformers.{place}", lambda module, name=name: _sentences(getattr(module, name, None)))
    for hub in ("huggingface_hub._snapshot_download", "modelscope.hub.snapshot_download"):
        when_imported(hub, lambda module: _snapshots(module, notes, catalog))


def comparable(name):
    """Names as the catalog has them."""
    return str(name).strip().lower()


def name_of(path):
    """A model by its name, also where it is a folder of the hub's cache."""
    part = next((part for part in str(path).replace("\\", "/").split("/") if part.startswith("models--")), None)
    return str(path) if part is None else part[len("models--") :].replace("--", "/")


class Catalog:
    """`told`: {"configs": [config.json …], "names": {comparable name: index}}, or None."""

    def __init__(self, told):
        self.configs, self.names = (told or {}).get("configs", []), (told or {}).get("names", {})

    def find(self, name):
        index = next((self.names[one] for one in self._spellings(name) if one in self.names), None)
        return None if index is None else dict(self.configs[index])

    def _spellings(self, name):
        """As it is, in the hub's cache (`models--owner--name/snapshots/…`), and as the last folder of a path of one's own."""
        path = comparable(name).replace("\\", "/").rstrip("/")
        yield path
        yield name_of(path)
        if path.startswith((".", "/", "~")) or path.count("/") > 1 or path[1:2] == ":":
            own = {self.names[one] for one in self.names if one.rpartition("/")[2] == path.rpartition("/")[2]}
            if len(own) == 1:
                yield next(one for one in self.names if self.names[one] in own)


def config_of(name, notes, catalog, keys):
    """A config for a name, from what is known without its file; None: nothing is."""
    import transformers

    facts = catalog.find(name)
    dtype = None if facts is None else facts.pop("dtype", None)
    own, sizes = SIZES.get(str(name), ("", {}))
    if hasattr(transformers, own):
        config = getattr(transformers, own)(**copy.deepcopy(sizes))
        known = "its sizes" if facts else "unconfirmed sizes"
        notes.add(f"{name} by {known if sizes else 'the defaults of its class'}")
    elif (text := diffusion.text_config(name, keys.get("subfolder"))) is not None:
        config = transformers.CLIPTextConfig(**text)
        notes.add(f"{name} by the configs of Stable Diffusion")
    elif facts is not None:
        kind = facts.pop("model_type")
        config = transformers.CONFIG_MAPPING[kind].from_dict(facts)
        notes.add(f"{name} by its sizes in Headroom's catalog")
    else:
        return None
    if dtype is not None:
        setattr(config, "dtype" if _release() >= 5 else "torch_dtype", getattr(torch, dtype))
    for key, value in keys.items():
        if hasattr(config, key):
            setattr(config, key, value)
    if getattr(config, "is_encoder_decoder", False) and getattr(config, "decoder_start_token_id", None) is None:
        tokens = (getattr(config, name, None) for name in ("pad_token_id", "bos_token_id"))
        config.decoder_start_token_id = next((token for token in tokens if token is not None), 0)
    config._name_or_path = str(name)
    config.architectures = config.architectures or _architectures(config.model_type)
    return config


def _architectures(kind):
    """The class that a model of this kind was trained with, which trainers load by its name."""
    from transformers.models.auto import modeling_auto as auto

    tables = (auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES, auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES)
    named = next((table[kind] for table in tables if kind in table), None)
    return None if named is None else [named]


def missing(name):
    return Refusal("config", f"the config.json of {name} is not on this machine")


def _configs(module, notes, catalog):
    Config = getattr(module, "PreTrainedConfig", None) or module.PretrainedConfig
    really = Config.from_pretrained.__func__

    def from_pretrained(cls, name, *args, **kwargs):
        try:
            return really(cls, name, *args, **kwargs)
        except Exception as error:
            unused = kwargs.pop("return_unused_kwargs", False)
            found = config_of(name, notes, catalog, kwargs)
            if found is None:
                raise missing(name) from error
            return (found, _unused(found, kwargs)) if unused else found

    Config.from_pretrained = classmethod(from_pretrained)


def _auto_configs(module, notes, catalog):
    really = module.AutoConfig.from_pretrained.__func__

    def from_pretrained(cls, name, *args, **kwargs):
        try:
            return really(cls, name, *args, **dict(kwargs))
        except Exception as error:
            unused = kwargs.pop("return_unused_kwargs", False)
            found = config_of(name, notes, catalog, kwargs)
            if found is None:
                raise missing(name) from error
            return (found, _unused(found, kwargs)) if unused else found

    module.AutoConfig.from_pretrained = classmethod(from_pretrained)


def _unused(config, kwargs):
    """What a model's own loading still gets: a dtype is both its config's and its own (`from_dict` of configuration_utils.py)."""
    goes_on = {key for key in kwargs if key in ("dtype", "torch_dtype") or not hasattr(config, key)}
    return {key: value for key, value in kwargs.items() if key in goes_on and key not in HUB and not key.startswith("_")}


HUB = (
    *("cache_dir", "force_download", "local_files_only", "token", "use_auth_token", "revision", "subfolder", "trust_remote_code"),
    *("code_revision", "resume_download", "proxies", "name_or_path", "adapter_kwargs"),
)
LOADING = ("trust_remote_code", "revision", "subfolder")


def _models(module, notes):
    Model = module.PreTrainedModel
    takes = "dtype" if _release() >= 5 else "torch_dtype"

    def from_pretrained(cls, name=None, *args, config=None, **kwargs):
        flash.wanted(kwargs)
        config = _config(cls, name, config, kwargs)
        wanted = quantized.wanted(config, kwargs)
        for key in list(kwargs):
            if hasattr(config, key) and key not in ("dtype", "torch_dtype", "quantization_config"):
                setattr(config, key, kwargs[key])
        chosen = {} if kwargs.get("attn_implementation") is None else {"attn_implementation": kwargs["attn_implementation"]}
        named = _dtype(config, kwargs) or (torch.float16 if wanted is not None else None)
        if named is None and _asked(kwargs) == "auto":
            notes.add(f"{str(torch.get_default_dtype())[6:]} for the weights of {name}, whose dtype is unknown")
        model = cls._from_config(config, **chosen, **{takes: named or torch.get_default_dtype()})
        notes.add(WEIGHTS)
        model.eval()
        place = kwargs.get("device_map")
        if wanted is not None:
            return quantized.apply(model, wanted, notes)
        model = model if place in (None, "cpu", "meta") else model.to("cuda")
        return (model, {"missing_keys": [], "unexpected_keys": [], "mismatched_keys": []}) if kwargs.get("output_loading_info") else model

    Model.from_pretrained = classmethod(from_pretrained)
    Model.save_pretrained = lambda self, *args, **kwargs: None


def _snapshots(module, notes, catalog):
    """A model's folder without its files: the config, from which loading it makes the rest."""
    really = module.snapshot_download

    def snapshot_download(name=None, *args, **kwargs):
        name = name or kwargs.get("repo_id") or kwargs.get("model_id")
        try:
            return really(name, *args, **{key: value for key, value in kwargs.items() if key not in ("repo_id", "model_id")})
        except Exception:
            is_data = kwargs.get("repo_type") == "dataset"  # an empty folder, as where only a repository's name is checked
            config = None if is_data else config_of(name, notes, catalog, {})
            if config is None and not is_data:
                raise
            folder = os.path.join(tempfile.gettempdir(), f"{'data' if is_data else 'model'}s--{str(name).replace('/', '--')}", "snapshots", "none")
            os.makedirs(folder, exist_ok=True)
            if is_data:
                return folder
            config.to_json_file(os.path.join(folder, "config.json"))
            return folder

    module.snapshot_download = snapshot_download


def _sentences(Model):
    """A missing folder of a model of sentences is the model of its name: the class itself would look for it on the hub only without a path."""
    if Model is None:
        return
    really = Model.__init__

    @functools.wraps(really)
    def made(self, model_name_or_path=None, *args, **kwargs):
        path = model_name_or_path
        if isinstance(path, str) and path.count("/") > 1 and not os.path.isdir(path):
            path = "/".join(path.rstrip("/").split("/")[-2:])
        return really(self, path, *args, **kwargs)

    Model.__init__ = made


def _adapters(module):
    """A path that is not there is no name of the hub: there are no adapters either."""
    really = module.find_adapter_config_file

    def found(*args, **kwargs):
        try:
            return really(*args, **kwargs)
        except Exception:
            return None

    module.find_adapter_config_file = found


def _config(cls, name, config, kwargs):
    from transformers import AutoConfig

    if config is not None and not isinstance(config, str):
        return config
    known = {key: kwargs[key] for key in LOADING if key in kwargs}
    try:
        own = getattr(cls, "config_class", None)
        return (AutoConfig if own is None else own).from_pretrained(config or name, **known)
    except Refusal:
        raise
    except Exception as error:
        raise missing(name) from error


def _asked(kwargs):
    """Since Transformers 5, models have their checkpoint's dtype unless the program says otherwise."""
    return kwargs.get("dtype", kwargs.get("torch_dtype", "auto" if _release() >= 5 else None))


def _dtype(config, kwargs):
    dtype = _asked(kwargs)
    if dtype == "auto":
        dtype = getattr(config, "dtype", None) or getattr(config, "torch_dtype", None)
    return getattr(torch, dtype.split(".")[-1]) if isinstance(dtype, str) else dtype


def _release():
    import transformers

    return int(transformers.__version__.split(".")[0])
