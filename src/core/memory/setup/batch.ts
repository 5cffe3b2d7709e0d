import type { ModelFacts } from '../../models/model';
import type { Head } from '../../spec/values';
import { stated } from '../facts';
import type { Asker } from './asker';
import { audioOf } from './audio';
import { encodedOf } from './contrast';
import { filledByTokens, supposeLength } from './texts';
import { latentsOf } from './latents';
import { paddedRows, samplesOf, unpads } from './rows';
import type { BatchShape, RowsOf } from './rows';

export function batchOf(asker: Asker, { architecture, model, head }: RowsOf): BatchShape | null {
  const { samples } = architecture;
  if (samples === 'audio') return audioOf(asker, { architecture, model, head });
  if (samples !== undefined) return imagesOf(asker, { architecture, model });
  return asker.value('task') === 'load' ? NOTHING : rowsOf(asker, head, model);
}

/** What is asked of a model that is only loaded. */
const NOTHING: BatchShape = {
  batch: 1,
  tokens: 1,
  targets: 0,
  padded: false,
  uneven: false,
  generated: 0,
  image: null,
};

function rowsOf(asker: Asker, head: Head, model: ModelFacts): BatchShape | null {
  supposeLength(asker, model);
  const encoded = filledByTokens(asker) ?? encodedOf(asker, samplesOf(asker));
  const targets = head === 'seq2seq' ? targetsOf(asker) : 0;
  if (encoded === null || targets === null) return null;
  const { rows, tokens, contrast } = encoded;
  const attention = asker.value('attention') ?? '';
  const after = Math.min(asker.detail('generatedTokens') ?? 0, tokens - 1);
  const generated = head === 'seq2seq' ? 0 : after;
  const mixed = paddedRows(asker);
  return {
    batch: rows,
    contrast,
    tokens: tokens - after,
    targets,
    padded: !unpads(attention) && mixed,
    uneven: mixed && asker.value('task') !== 'infer' && asker.detail('fixedLength') !== true,
    generated,
    image: null,
  };
}

function imagesOf(asker: Asker, rows: Omit<RowsOf, 'head'>): BatchShape | null {
  const { architecture, model } = rows;
  const isLoaded = asker.value('task') === 'load';
  const batch = isLoaded ? 1 : samplesOf(asker);
  const size = asker.value('imageSize') ?? ownSize(asker, model);
  if (size === null) asker.lack('the image size');
  if (batch === null || size === null) return null;
  const [width, height] = size;
  const image =
    architecture.samples === 'latents'
      ? latentsOf(asker, rows, size)
      : { channels: stated(model, 'num_channels', COLOURS), width, height };
  return { batch, tokens: 1, padded: false, uneven: false, targets: 0, generated: 0, image };
}

const COLOURS = 3;

/** Images are taken to have the size that the model was made for. */
function ownSize(asker: Asker, model: ModelFacts): readonly [number, number] | null {
  const side = stated(model, 'image_size', 0);
  const size = [stated(model, 'image_width', side), stated(model, 'image_height', side)] as const;
  if (size.includes(0)) return null;
  return asker.assume(size, `images of ${size[0]} × ${size[1]} pixels, for which the model was made`);
}

/** What is generated is taken to be decoded in one pass, whose cache is the last one's. */
function targetsOf(asker: Asker): number | null {
  const generated = asker.detail('generatedTokens');
  if (generated !== null) {
    return asker.assume(generated, 'what is generated takes no more than decoding it in one pass');
  }
  return asker.detail('targetTokens') ?? asker.lack('the length of the target sequences');
}
