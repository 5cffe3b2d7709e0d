import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelFolder } from '../../../src/embed/folder/modelFolder';
import { npyShape } from '../../../src/embed/output/headers';
import { readManifest } from '../../../src/embed/output/manifest';
import type { EmbedOrder, EmbedWatch } from '../../../src/embed/run/embed';
import { tinyTexts } from './tinyModel';

/** A folder for one test, removed by `remove`. */
export function workFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'headroom-embed-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

const WORKER = join(process.cwd(), 'dist/embedWorker.js');

export function writeTexts(folder: string, count: number): string {
  const path = join(folder, 'texts.jsonl');
  const lines = tinyTexts(count).map((text, i) => `${JSON.stringify({ id: `t${i}`, text })}\n`);
  writeFileSync(path, lines.join(''));
  return path;
}

/** An order to the engine, as from the command line. */
export async function orderFor(
  model: string,
  input: string,
  folder: string,
  more: Partial<EmbedOrder> = {},
): Promise<EmbedOrder> {
  return {
    folder,
    input: { path: input, format: 'jsonl', text: [], id: null, emptyWhenMissing: false },
    model: await readModelFolder(model, { precision: 'fp32' }),
    modelFolder: model,
    engine: { workerFile: WORKER, device: 'cpu', workers: 1, python: null, batchTokens: 64 },
    format: 'npy',
    rowsPerShard: 100,
    part: { index: 0, of: 1 },
    createdBy: 'test',
    ...more,
  };
}

/** Ignores progress; `stopAt` ends the run after that many rows. */
export function watch(stopAt = Infinity): EmbedWatch {
  const controller = new AbortController();
  let now = 0;
  return {
    signal: controller.signal,
    nowMs: () => (now += 10),
    started: () => undefined,
    progress: read => {
      if (stopAt === Infinity) return;
      const timer = setInterval(() => {
        if (read().rows < stopAt) return;
        clearInterval(timer);
        controller.abort();
      }, 1);
      timer.unref();
    },
  };
}

/** All vectors of a folder of npy shards, by row. */
export async function vectorsIn(folder: string): Promise<Float32Array[]> {
  const manifest = await readManifest(folder);
  return (manifest?.shards ?? []).flatMap(({ file }) => {
    const bytes = readFileSync(join(folder, file));
    const shape = npyShape(bytes.subarray(0, 512));
    if (!shape) throw new Error(`${file} is not a npy file`);
    const all = new Float32Array(new Uint8Array(bytes.subarray(shape.dataAt)).buffer);
    return Array.from({ length: shape.rows }, (_, i) =>
      all.slice(i * shape.dimensions, (i + 1) * shape.dimensions),
    );
  });
}
