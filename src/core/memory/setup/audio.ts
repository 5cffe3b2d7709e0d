import type { Asker } from './asker';
import { paddedRows, samplesOf } from './rows';
import type { BatchShape, RowsOf } from './rows';

/** Samples a second that checkpoints of wav2vec 2.0's kind and Whisper were made for (their preprocessor_config.json). */
const RATE = 16_000;

/** Rows of audio: a spectrogram of fixed size, whatever is in it, or a waveform as long as the config says. */
export function audioOf(asker: Asker, { architecture, model, head }: RowsOf): BatchShape | null {
  const isLoaded = asker.value('task') === 'load';
  const batch = isLoaded ? 1 : samplesOf(asker);
  const hearing = architecture.hears?.(model);
  if (!hearing || batch === null) return null;
  const shape = { batch, uneven: false, generated: 0, image: null };
  if (hearing.kind === 'spectrogram') {
    const { values, tokens, targets: most } = hearing;
    return { ...shape, tokens, targets: writtenOf(asker, most), padded: false, audio: { values } };
  }
  const seconds =
    asker.detail('audioSeconds') ?? (isLoaded ? 1 : asker.lack('how long the audio of a row is'));
  if (seconds === null) return null;
  const values = Math.ceil(seconds * RATE);
  const tokens = hearing.tokensOf(values);
  const targets = head === 'ctc' ? transcribedOf(asker, tokens) : 0;
  return { ...shape, tokens, targets, padded: paddedRows(asker), uneven: true, audio: { values } };
}

/** Tokens of the text that is written: as stated, else as many as the model may write. */
function writtenOf(asker: Asker, most: number): number {
  const stated = asker.detail('targetTokens') ?? asker.detail('generatedTokens');
  return stated ?? asker.assume(most, `texts of ${most} tokens, as long as the model writes`);
}

/** CTC takes no text with more labels than there are frames. */
function transcribedOf(asker: Asker, frames: number): number {
  return asker.detail('targetTokens') ?? asker.assume(frames, 'texts with as many labels as CTC allows');
}
