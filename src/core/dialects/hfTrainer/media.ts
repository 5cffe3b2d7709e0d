import type { Quantity } from '../../spec/quantity';
import type { FrozenPart } from '../../spec/values';
import type { RunReader } from '../engine/runReader';

/** Keys of transformers' speech example scripts, and of similar scripts. */
const SECONDS = [
  'max_duration_in_seconds',
  'max_length_seconds',
  'max_input_length_in_sec',
  'max_audio_length_in_seconds',
  'max_audio_duration',
  'max_duration',
];

const sections = ['', 'model.', 'data.', 'dataset.', 'training.'];
const places = (keys: readonly string[]): string[] =>
  sections.flatMap(section => keys.map(key => section + key));

/**
 * Switches that freeze part of a model (run_speech_recognition_ctc.py, run_speech_recognition_seq2seq.py,
 * run_clip.py).
 */
const SWITCHES: Readonly<Record<string, FrozenPart>> = {
  freeze_feature_encoder: 'convolutions',
  freeze_feature_extractor: 'convolutions',
  freeze_encoder: 'encoder',
  freeze_vision_model: 'vision tower',
  freeze_vision_tower: 'vision tower',
  freeze_text_model: 'text tower',
};

/** The longest audio that a script accepts. */
function audioSeconds(run: RunReader): Quantity<number> {
  const key = places(SECONDS).find(one => run.has(one));
  const value = key === undefined ? null : run.value(key);
  if (key !== undefined && typeof value === 'number' && value > 0) return run.at(key, value);
  return run.unknown('No key says how long the audio is.');
}

function frozenParts(run: RunReader): Quantity<readonly FrozenPart[]> {
  const found = Object.entries(SWITCHES).flatMap(([name, part]) => {
    const key = places([name]).find(one => run.flag(one) === true);
    return key === undefined ? [] : [{ key, part }];
  });
  if (found.length === 0) return run.unknown('No key freezes a part of the model.');
  return run.at(
    found.map(({ key }) => key),
    [...new Set(found.map(({ part }) => part))],
  );
}

/** Details of transformers' speech and image scripts, in addition to their training arguments. */
export const mediaDetails = { audioSeconds, frozenParts };
