"""Processors of pictures and sounds whose files are not on this machine: the defaults of their class, which have its sizes."""

from .imported import when_imported

PARTS = {"image_processor": "AutoImageProcessor", "tokenizer": "AutoTokenizer", "feature_extractor": "AutoFeatureExtractor", "video_processor": "AutoVideoProcessor"}


def install(notes, catalog):
    def mixed(module, name, make):
        when_imported(f"transformers.{module}", lambda found: _or_default(getattr(found, name, None), make, notes))

    mixed("image_processing_base", "ImageProcessingMixin", lambda cls, name: cls())
    mixed("feature_extraction_utils", "FeatureExtractionMixin", lambda cls, name: cls())
    mixed("processing_utils", "ProcessorMixin", _assembled)
    for module, name, mapping in (
        ("image_processing_auto", "AutoImageProcessor", "IMAGE_PROCESSOR_MAPPING"),
        ("feature_extraction_auto", "AutoFeatureExtractor", "FEATURE_EXTRACTOR_MAPPING"),
        ("processing_auto", "AutoProcessor", "PROCESSOR_MAPPING"),
    ):
        when_imported(f"transformers.models.auto.{module}", _auto(name, mapping, notes, catalog))


def _or_default(Mixin, make, notes):
    if Mixin is None:
        return
    really = Mixin.from_pretrained.__func__

    def from_pretrained(cls, name, *args, **kwargs):
        try:
            return really(cls, name, *args, **kwargs)
        except Exception:
            made = make(cls, name)
            notes.add(f"the defaults of {cls.__name__} for {name}, whose file is missing")
            return made

    Mixin.from_pretrained = classmethod(from_pretrained)
    Mixin.save_pretrained = lambda self, *args, **kwargs: []


def _assembled(cls, name):
    import transformers

    names = cls.get_attributes() if hasattr(cls, "get_attributes") else cls.attributes
    parts = {part: getattr(transformers, PARTS[part]).from_pretrained(name) for part in names if part in PARTS}
    cls.get_possibly_dynamic_module = staticmethod(lambda name: object)  # a made-up tokenizer is of no model's class
    try:
        return cls(**parts)
    finally:
        del cls.get_possibly_dynamic_module


def _auto(name, mapping, notes, catalog):
    def change(module):
        Auto = getattr(module, name)
        really = Auto.from_pretrained.__func__

        def from_pretrained(cls, model, *args, **kwargs):
            try:
                return really(cls, model, *args, **kwargs)
            except Exception:
                from .models import missing
                from .tokens import config_for

                config = config_for(model, notes, catalog)
                if config is None:
                    raise missing(model) from None
                known = getattr(module, mapping)[type(config)]
                several = known.values() if isinstance(known, dict) else known if isinstance(known, tuple) else (known,)
                known = next(one for one in several if one is not None)
                return known.from_pretrained(model)

        Auto.from_pretrained = classmethod(from_pretrained)

    return change
