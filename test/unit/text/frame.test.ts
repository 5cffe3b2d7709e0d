import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unframed } from '../../../src/core/text/frame';
import { OOM, PROGRESS, RECORDINGS } from './framed';

const fileOf = (file: string): string => readFileSync(join(RECORDINGS, file), 'utf8');

describe('framed outputs', () => {
  it('lose nothing that their program printed', () => {
    for (const text of [
      OOM,
      PROGRESS,
      fileOf('nv-table-4xpro6000-610-one-lost.txt'),
      fileOf('nv-csv-gb10-noheader.csv'),
    ]) {
      assert.equal(unframed(text).trim(), text.trim());
    }
  });

  it('keep numbers, names and signs that only look like a frame', () => {
    const kept = [
      '0, GPU-1, 20\n1, GPU-2, 30\n2, GPU-3, 40\n',
      '0 | model | Linear | 1.2 M\n1 | loss | MSELoss | 0\n',
      'train | loss 1\nvalid | loss 2\ntest | loss 3\n',
      'ERROR: CUDA out of memory\n',
      '| epoch 001 | loss 3\n| epoch 002 | loss 2\n',
      'C:\\new\\folder\\train.log\n',
      '# gpu   pwr\n# Idx     W\n    0    20\n',
      '<?xml version="1.0"?>\n<name>A &amp; B</name>\n',
    ];
    for (const text of kept) assert.equal(unframed(text), text.replace(/^ {2}/, ''), text);
  });
});
