"""TRL's trainers, handed a data set of which nothing is known: it has the columns that they read."""

import functools
import inspect

from .imported import when_imported
from .made_up import within
from .rows import ROWS, TEXT, Parts, Rows, value_of

PREFERENCES = ("prompt", "chosen", "rejected")
# As "Dataset formats and types" of TRL's documentation has them.
COLUMNS = {
    **{"SFTTrainer": ("text",), "RewardTrainer": PREFERENCES[1:], "KTOTrainer": ("prompt", "completion", "label")},
    **{name: PREFERENCES for name in ("DPOTrainer", "ORPOTrainer", "CPOTrainer", "BCOTrainer")},
    **{name: ("prompt",) for name in ("GRPOTrainer", "RLOOTrainer", "XPOTrainer")},
}
# What trainers hand to reward functions by themselves.
OF_REWARDS = ("prompts", "completions", "completion_ids", "trainer_state", "args", "kwargs")

# What notes say of data that are not there.
MADE = (" rows of ", " records for ")


def install(notes, lengths, steps):
    for name in COLUMNS:
        when_imported(f"trl.trainer.{name[:-7].lower()}_trainer", lambda module, name=name: _trainer(module, name, notes, lengths))
    when_imported("transformers.trainer", lambda module: _labels(module, notes))
    when_imported("transformers.trainer", lambda module: _accumulates(module.Trainer, notes, steps))
    when_imported("transformers.training_args", _untold)
    when_imported("axolotl.utils.data.utils", lambda module: _long_rows(module, notes))


def _labels(module, notes):
    """Classes of rows that are made up: a program hands them on without naming them, and without them there is no loss."""
    really = module.Trainer.compute_loss

    @functools.wraps(really)
    def compute_loss(self, model, inputs, *args, **kwargs):
        config = getattr(self.model, "config", None)
        classifies = type(_inner(self.model)).__name__.endswith("ForSequenceClassification") and "input_ids" in inputs
        if classifies and not any("label" in name for name in inputs) and any(what in note for note in notes.all for what in MADE):
            rows, classes = len(inputs["input_ids"]), getattr(config, "num_labels", 2)
            several = getattr(config, "problem_type", None) == "multi_label_classification"
            ones = inputs["input_ids"].new_zeros((rows, classes) if several else (rows,))
            inputs = {**inputs, "labels": ones.float() if several or classes == 1 else ones}
            notes.add("classes of rows that are made up")
        return really(self, model, inputs, *args, **kwargs)

    module.Trainer.compute_loss = compute_loss
    # Trackers see nothing of a dry run, and one that is not here, or is off, would end it.
    if hasattr(module, "get_reporting_integration_callbacks"):
        module.get_reporting_integration_callbacks = lambda report_to: []


def _accumulates(Trainer, notes, steps):
    """Micro-batches between the second of a step, which meets gradients, and its last, which is followed by the optimizer: they need what the
    second one does. Made-up rows are alike, and one's own come in order of length."""
    really = Trainer.training_step

    @functools.wraps(really)
    def training_step(self, *args, **kwargs):
        is_alike = steps.since_step >= 2 and hasattr(self, "_headroom_loss") and not self.accelerator.sync_gradients
        if is_alike and not getattr(self, "is_deepspeed_enabled", False):  # whose engine counts them itself
            notes.add("the second micro-batch of a step for the ones between it and the last")
        else:
            self._headroom_loss = really(self, *args, **kwargs)
        return self._headroom_loss

    Trainer.training_step = training_step


def _long_rows(module, notes):
    """Axolotl leaves out rows that are too long: those that are made up are cut, since their parts are as long as the whole may be."""
    for name in ("handle_long_seq_in_dataset", "drop_long_seq_in_dataset"):  # by the release
        really = getattr(module, name, None)
        if really is None:
            continue

        @functools.wraps(really)
        def handled(dataset, sequence_len, *args, _really=really, **kwargs):
            if any(MADE[0] in note for note in notes.all) and "input_ids" in (dataset.column_names or ()):
                dataset = dataset.map(lambda row: {name: value[-sequence_len:] for name, value in row.items() if isinstance(value, list)})
            return _really(dataset, sequence_len, *args, **kwargs)

        setattr(module, name, handled)


def _untold(module):
    """TRL logs to the trackers that arguments name, by modules that it has not imported where those are off."""
    really = module.TrainingArguments.__post_init__

    @functools.wraps(really)
    def made(self, *args, **kwargs):
        really(self, *args, **kwargs)
        self.report_to = []

    module.TrainingArguments.__post_init__ = made


def _inner(model):
    """A model without PEFT's around it."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def _trainer(module, name, notes, lengths):
    Trainer = getattr(module, name, None)
    if Trainer is None:
        return
    really = Trainer.__init__
    signature = inspect.signature(really)

    @functools.wraps(really)
    def init(self, *args, **kwargs):
        try:
            given = signature.bind_partial(self, *args, **kwargs)
        except TypeError:
            return really(self, *args, **kwargs)  # whose own error names what it does not take
        lengths.later = _limit(given.arguments.get("args")) or lengths.later
        lengths.apart = "prompt" in COLUMNS[name] and len(COLUMNS[name]) > 1
        for which in ("train_dataset", "eval_dataset"):
            if isinstance(given.arguments.get(which), (Rows, Parts)):
                given.arguments[which] = _known(given.arguments[which], COLUMNS[name], given.arguments)
                notes.add(f"the columns that {name} reads for a data set that is missing")
        return really(*given.args, **given.kwargs)

    Trainer.__init__ = init


def _limit(args):
    """The tokens to which a trainer cuts its rows after it has tokenized them."""
    limits = (getattr(args, name, None) for name in ("max_length", "max_seq_length", "max_prompt_length"))
    return next((limit for limit in limits if isinstance(limit, int) and limit > 0), None)


def _known(rows, columns, given):
    """Rows with the columns of the trainer, of its formatting function, and of its reward functions."""
    rows = rows.plain() if isinstance(rows, Parts) else rows
    Data = rows.Data if isinstance(rows, Rows) else None
    if Data is None:
        return rows
    form = given.get("formatting_func")
    if form is not None:
        return rows.map(lambda row: {"text": form(row)})
    rewards = given.get("reward_funcs") or ()
    rewards = [one for one in (rewards if isinstance(rewards, (list, tuple)) else [rewards]) if inspect.isfunction(one)]
    more = {key: value_of(key) for one in rewards for key in inspect.signature(one).parameters if key not in OF_REWARDS}
    own = getattr(given.get("args"), "dataset_text_field", None)
    row = {own if column == "text" and own else column: value_of(column) for column in columns}
    if any(_reads_messages(one) for one in rewards):
        row["prompt"] = [{"role": "user", "content": TEXT}]
    if "label" in row:
        row["label"] = True
    return Data.from_list([{**more, **row}] * ROWS)


def _reads_messages(function):
    """Whether a reward function takes completions as messages: it reads their content."""
    return any(one == "content" for part in within(function.__code__) for one in part.co_consts)
