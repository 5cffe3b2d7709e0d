import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bert, encodedBert } from '../../../src/embed/graph/bert';
import { plain } from '../../../src/embed/graph/weights';
import type { Weights } from '../../../src/embed/graph/weights';
import { numbers, WORDS, writeTinyModel } from '../../unit/embed/tinyModel';
import { rounded } from './bench';
import type { Bench } from './bench';
import { ROOT } from './inputs';

const ROWS = 250_010;
const DIMENSIONS = 1024;
const PARTS = 16;
const CLI = join(ROOT, 'dist/cli.js');

/** Tables of a BERT without layers: vectors as wide as a large model's, and hardly any computation. */
function wideModel(folder: string): string {
  writeTinyModel(folder, 1, {
    'config.json': { model_type: 'bert', max_position_embeddings: 16, hidden_size: DIMENSIONS },
    '1_Pooling/config.json': { word_embedding_dimension: DIMENSIONS, pooling_mode_mean_tokens: true },
  });
  const rowsOf: Readonly<Record<string, number>> = { word: WORDS.length + 4, position: 16, token: 2 };
  const next = numbers(11);
  const weights = (name: string): Weights => {
    const rows = rowsOf[/^embeddings\.(word|position|token)_/.exec(name)?.[1] ?? ''];
    const shape = rows === undefined ? [DIMENSIONS] : [rows, DIMENSIONS];
    const isScale = name === 'embeddings.LayerNorm.weight';
    const data = Float32Array.from({ length: (rows ?? 1) * DIMENSIONS }, () => (isScale ? 1 : next()));
    return { shape, data };
  };
  const sizes = { hidden: DIMENSIONS, heads: 16, layers: 0, epsilon: 1e-12 };
  writeFileSync(join(folder, 'onnx/model.onnx'), encodedBert(bert({ sizes, weights, storage: plain })));
  return folder;
}

function headroom(...args: readonly string[]): { readonly out: string; readonly wallS: number } {
  const begin = performance.now();
  const run = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return { out: run.stdout, wallS: (performance.now() - begin) / 1000 };
}

function textsFile(path: string): string {
  const next = numbers(13);
  const word = (): string => WORDS[Math.floor((next() + 0.5) * WORDS.length)] ?? 'a';
  const lines = Array.from({ length: ROWS }, (_, i) => `{"id":"t${i}","text":"${word()} ${word()}"}\n`);
  writeFileSync(path, lines.join(''));
  return path;
}

/**
 * The end of the distributed-embedding guide: 250,010 texts in 16 parts, merged and verified as (250010, 1024). The
 * model has no layers: this measures everything except its computation.
 */
export const embedParts: Bench = {
  name: 'embed-parts',
  isLong: true,
  run() {
    const folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
    try {
      const model = wideModel(join(folder, 'model'));
      const input = textsFile(join(folder, 'texts.jsonl'));
      const parts = Array.from({ length: PARTS }, (_, at) => join(folder, `part-${at + 1}`));
      const rows: number[] = [];
      let partsS = 0;
      for (const [at, out] of parts.entries()) {
        const args = ['embed', input, '--model', model, '--out', out, '--shard', `${at + 1}/${PARTS}`];
        const run = headroom(...args, '--json', '--quiet', '--device', 'cpu');
        partsS += run.wallS;
        rows.push((JSON.parse(run.out) as { readonly shape: readonly number[] }).shape[0] ?? 0);
      }
      const out = join(folder, 'merged');
      const merged = headroom('merge', ...parts, '--out', out, '--json', '--quiet');
      const verified = headroom('verify', out, '--shape', `${ROWS},${DIMENSIONS}`, '--quiet');
      const { shape } = JSON.parse(merged.out) as { readonly shape: readonly number[] };
      const value = rounded(partsS + merged.wallS + verified.wallS, 1);
      const detail = {
        shape: `(${shape.join(', ')})`,
        parts: PARTS,
        rowsOfParts: [...new Set(rows)].map(n => `${rows.filter(m => m === n).length} × ${n}`).join(', '),
        partsS: rounded(partsS, 1),
        mergeS: rounded(merged.wallS, 1),
        verifyS: rounded(verified.wallS, 1),
        verified: verified.out.trim().split(': ').at(-1) ?? '',
      };
      return Promise.resolve({ value, unit: 's', runs: 1, detail });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
