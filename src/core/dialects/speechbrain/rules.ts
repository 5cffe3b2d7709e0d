import type { Quantity } from '../../spec/quantity';
import type { Method } from '../../spec/values';
import type { RunReader } from '../engine/runReader';
import { counted } from '../shared/toolkit';

const DYNAMIC = 'dynamic_batching';

/** Caps of a dynamic batch, old names behind new ones. */
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
 * Dynamic batches have a longest total of padded lengths; `batch_size` is ignored then. The length function is the
 * recipe's: frames where it divides by `feats_hop_size` (recipes of LibriSpeech, Switchboard and TIMIT, ASR/seq2seq/train.py),
 * seconds in all others.
 */
export function microBatch(run: RunReader): Quantity<number> {
  if (run.flag(DYNAMIC) === true) {
    const cap = CAPS.find(key => run.has(key));
    if (cap === undefined) return run.unknown('Batches are dynamic, and no longest batch is stated.');
    const unit = run.has('feats_hop_size') ? 'frames' : 'seconds of audio';
    return counted(run, cap, unit) ?? run.unknown(`${cap} is no number.`);
  }
  const rows = ROWS.find(key => run.has(key));
  return rows === undefined ? run.unknown('batch_size is not set.') : run.at(rows, run.count(rows));
}

export function evalBatch(run: RunReader): Quantity<number> {
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

const PRECISIONS: Readonly<Record<string, string>> = { fp32: 'fp32', fp16: 'fp16-mixed', bf16: 'bf16-mixed' };

/** `precision` autocasts; older releases had `auto_mix_prec`, in fp16. */
export function precision(run: RunReader): Quantity<string> {
  const name = run.word('precision');
  if (name !== null) {
    const meaning = PRECISIONS[name];
    return meaning === undefined
      ? run.unknown(`precision: ${name} is none of fp32, fp16, bf16.`)
      : run.at('precision', meaning);
  }
  const mixed = run.flag('auto_mix_prec');
  if (mixed !== null) return run.at('auto_mix_prec', mixed ? 'fp16-mixed' : 'fp32');
  return run.byDefault('fp32', 'speechbrain/core.py: precision is fp32');
}

/** `precision: fp32` is its own meaning and is not said twice. */
export function precisionRaw(run: RunReader): Quantity<string> {
  const name = run.word('precision');
  if (name !== null && name !== 'fp32') return run.at('precision', name);
  return run.unknown('No key asks for less than fp32.');
}

const OPTIMIZERS = [
  'opt_class',
  'Adam',
  'optimizer',
  'model_opt_class',
  'SGD',
  'noam_opt_class',
  'opt_class_generator',
];

/** `Adam: !name:torch.optim.Adam`: the class stands in the tag. */
export function optimizer(run: RunReader): Quantity<string> {
  for (const key of OPTIMIZERS) {
    const tag = run.tag(key);
    const name = tag && /^!(?:name|new):([\w.]+)$/.exec(tag)?.[1];
    if (name) return run.at(key, name);
  }
  return run.unknown('No key names a class of optimizers.');
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

/** What a recipe takes from the hub, else what its Transformer consists of, else the first class of its own. */
export function model(run: RunReader): Quantity<string> {
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

const FOLDERS: Readonly<Record<string, string>> = {
  asr: 'asr',
  tts: 'tts',
  separation: 'speech_separation',
  enhancement: 'speech_enhancement',
  speakerrec: 'speaker_verification',
  vad: 'voice_activity_detection',
  lm: 'language_modeling',
  st: 'speech_translation',
};

/** Recipes lie in folders by their task: `recipes/LibriSpeech/ASR/transformer/hparams`. */
export function task(run: RunReader): Quantity<string> {
  const folder = run.pathWords.find(word => word in FOLDERS);
  const found = folder && FOLDERS[folder];
  return found
    ? run.derived(found, [], `the recipe lies in ${folder}`)
    : run.unknown('The recipe decides it.');
}

/** A frozen encoder from the hub has neither gradients nor optimizer states. */
export function freezes(run: RunReader): Quantity<Method> {
  const key = [
    'freeze_wav2vec',
    'freeze_wav2vec2',
    'wav2vec2_frozen',
    'freeze_whisper',
    'freeze_encoder',
  ].find(name => run.flag(name));
  return key === undefined
    ? run.byCode('full', 'speechbrain/core.py: modules are trained')
    : run.at(key, 'freeze');
}
