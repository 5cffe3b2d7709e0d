import assert from 'node:assert/strict';
import { known } from '../../../src/core/spec/maybe';
import { whisper } from '../../../src/core/memory/architectures/speech';
import type { MemoryRun } from '../../../src/core/memory/run';
import { play } from '../../../src/core/memory/timeline';
import { memoryRun, modelOf, peakOf, trainedIn } from './support';
import type { RunChanges } from './support';

const MODEL = modelOf({
  model_type: 'whisper',
  d_model: 128,
  encoder_layers: 2,
  decoder_layers: 2,
  encoder_attention_heads: 2,
  encoder_ffn_dim: 256,
  decoder_ffn_dim: 256,
  vocab_size: 1024,
});

const [ROWS, FRAMES, BANDS] = [2, 1500, 80];

const run = (changes: RunChanges = {}): MemoryRun =>
  memoryRun({
    model: MODEL,
    head: 'seq2seq',
    rows: ROWS,
    tokens: FRAMES,
    targets: 64,
    audio: { values: BANDS * 2 * FRAMES },
    ...changes,
  });

describe('memory: speech models', () => {
  it('leave the table of positions of the encoder alone, and all of it where it is frozen', () => {
    const counted = MODEL.parameters?.total ?? 0;
    assert.equal(trainedIn(play(whisper, run())), counted - FRAMES * 128);
    const decoder = trainedIn(play(whisper, run({ frozenParts: ['encoder'] })));
    // Two stacks with equally many layers: the rest is words, positions and layers with a second attention.
    const attention = 3 * (128 * 128 + 128) + 128 * 128;
    const layer = 2 * attention + 2 * 128 * 256 + 128 + 256 + 3 * 2 * 128;
    assert.equal(decoder, (1024 + 448) * 128 + 2 * layer + 2 * 128);
  });

  it('keep nothing of a frozen encoder but its output', () => {
    const keptOf = (frozenParts: MemoryRun['training']['frozenParts'] & object): number =>
      play(whisper, run({ frozenParts })).kept - play(whisper, run({ frozenParts, rows: 1 })).kept;
    const perFrame = (keptOf([]) - keptOf(['encoder'])) / FRAMES;
    // A layer keeps 18 hidden sizes and 4 inner ones in 16 bits, and more for Whisper's ordered copies.
    assert.ok(perFrame > 2 * (18 * 128 + 4 * 256), String(perFrame));
  });

  it('writes in evaluation beside keys and values of what was heard', () => {
    const peak = (tokens: number | null): number =>
      peakOf(
        play(whisper, run({ evaluated: known(64), writes: tokens === null ? null : { tokens, beams: 1 } })),
        'evaluation',
      );
    const heard = 2 * 2 * FRAMES * 128 * 2 * 64;
    assert.ok(peak(4) > peak(null) - 64 * 64 * 1024 * 12, 'logits of the loss alone may be more');
    assert.ok(peak(256) - peak(4) > 0);
    assert.ok(peak(4) > heard);
  });
});
