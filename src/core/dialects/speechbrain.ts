import type { Quantity } from '../spec/quantity';
import type { RunReader } from './engine/runReader';
import { counted, effectiveOfMicro } from './shared/toolkit';
import { builtIn } from './defined/compile';
import file from './speechbrain.yaml';
import type { Dialect } from './dialect';

const DYNAMIC = 'dynamic_batching';

/** Limits of a dynamic batch, old names after new ones. */
const CAPS = [
  'max_batch_length_train',
  'max_batch_length',
  'max_batch_len',
  'dynamic_batch_sampler_train.max_batch_length',
  'dynamic_batch_sampler.max_batch_length',
];
const ROWS = [
  'batch_size',
  'train_dataloader_opts.batch_size',
  'dataloader_opts.batch_size',
  'dataloader_options.batch_size',
];

/**
 * Dynamic batches limit the sum of padded lengths, and ignore `batch_size`. The recipe decides the length function:
 * frames if it divides by `feats_hop_size` (recipes of LibriSpeech, Switchboard and TIMIT, ASR/seq2seq/train.py),
 * seconds in all others.
 */
function microBatch(run: RunReader): Quantity<number> {
  if (run.flag(DYNAMIC) === true) {
    const cap = CAPS.find(key => run.has(key));
    if (cap === undefined) return run.unknown('Batches are dynamic, and no longest batch is stated.');
    const unit = run.has('feats_hop_size') ? 'frames' : 'seconds of audio';
    return counted(run, cap, unit) ?? run.unknown(`${cap} is not a number.`);
  }
  const rows = ROWS.find(key => run.has(key));
  return rows === undefined ? run.unknown('batch_size is not set.') : run.at(rows, run.count(rows));
}

function evalBatch(run: RunReader): Quantity<number> {
  if (run.flag(DYNAMIC) === true && run.has('max_batch_length_val')) {
    return (
      counted(run, 'max_batch_length_val', run.get('microBatchSize').unit ?? 'seconds of audio') ??
      run.unknown('')
    );
  }
  const key = ['valid_dataloader_opts.batch_size', 'valid_dataloader_options.batch_size'].find(name =>
    run.has(name),
  );
  if (key !== undefined) return run.at(key, run.count(key));
  return run.unknown('No section for validation says it.');
}

/** `!name:torch.optim.Adam`, or an optimizer of the recipe's own under a key that says so. */
const CLASS = /^!(?:name|new):([\w.]+)$/;
const OF_TORCH = /^torch\.optim\.\w+$/;
const SAYS_SO = /(?:^|_)opt(?:im(?:izer)?)?(?:_class)?(?:_|$)/;

/** The tag of a key names the class; a recipe with one optimizer per part may name several. */
function optimizer(run: RunReader): Quantity<string> {
  const found = run.keys().flatMap(key => {
    const name = CLASS.exec(run.tag(key) ?? '')?.[1];
    return name !== undefined && (OF_TORCH.test(name) || SAYS_SO.test(key)) ? [{ key, name }] : [];
  });
  const [first] = found;
  if (!first) return run.unknown('No key names a class of optimizers.');
  return found.every(({ name }) => name === first.name)
    ? run.at(first.key, first.name)
    : run.unknown('Parts of the model have optimizers of different classes.');
}

const HUBS = [
  'wav2vec2_hub',
  'whisper_hub',
  'llm_path',
  'wavlm_hub',
  'hubert_hub',
  'ssl_hub',
  'wav2vec2_url',
];

/** The hub model of a recipe, else the parts of its Transformer, else its first own class. */
function model(run: RunReader): Quantity<string> {
  const hub = HUBS.find(key => run.has(key));
  if (hub !== undefined) return run.at(hub, run.word(hub));
  const encoder = run.word('Transformer.encoder_module') ?? (run.tag('Transformer') ? 'transformer' : null);
  if (encoder === null) return run.unknown('The recipe puts its model together from classes.');
  const decoders = run.count('num_decoder_layers') ?? run.count('Transformer.num_decoder_layers') ?? 0;
  return run.at(
    'Transformer',
    decoders > 0 ? `${encoder} encoder + transformer decoder` : `${encoder} encoder`,
  );
}

/** SpeechBrain's hyperparameter files; sources are files of speechbrain/speechbrain 9c826ef (1.0). */
export const speechbrain: Dialect = builtIn(file, {
  quantities: {
    model,
    microBatchSize: microBatch,
    evalBatchSize: evalBatch,
    effectiveBatch: effectiveOfMicro,
    optimizer,
  },
});
