import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbedError, diskFault } from '../errors';
import type { PythonModel } from '../folder/modelFolder';
import { Input } from '../input/rows';
import { modelRecord, newManifest } from './embed';
import type { ManifestOrder } from './embed';

/** The input of parts that run only with another machine's Python. */
interface PythonPartsOrder extends Omit<ManifestOrder, 'part' | 'model'> {
  readonly model: PythonModel;
  readonly device: string;
  readonly batchTokens: number | undefined;
  readonly batchRows: number | undefined;
  /** A part's output path relative to the folder. */
  readonly outOf: (part: string) => string;
}

/** Names in the folder, in addition to the scripts and the model. */
export const PART_FILES = { texts: 'texts.jsonl', model: 'model' } as const;

/**
 * Writes the texts and requests of all parts to a folder for hosts without Node; texts of any format become JSON
 * lines.
 */
export async function writeParts(order: PythonPartsOrder, of: number, folder: string): Promise<void> {
  const input = await Input.open(order.input);
  const [survey, record] = await Promise.all([input.survey(), modelRecord(order.model)]);
  await writeTexts(input, join(folder, PART_FILES.texts)).catch((error: unknown) => {
    throw error instanceof EmbedError ? error : diskFault(folder, error);
  });
  const { normalize, maxTokens, prompt, dimensions } = order.model;
  for (let index = 0; index < of; index++) {
    // Merging converts parts to the requested format.
    const part = { ...order, format: 'npy' as const, part: { index, of } };
    const request = {
      protocol: 1,
      task: 'embed part',
      ...PART_FILES,
      out: order.outOf(`part-${index + 1}`),
      device: order.device,
      ...{ normalize, maxTokens, prompt, dimensions },
      batchTokens: order.batchTokens ?? null,
      batchRows: order.batchRows ?? null,
      manifest: newManifest(part, record, input, survey),
    };
    const handle = await open(join(folder, `part-${index + 1}.json`), 'w');
    try {
      await handle.writeFile(`${JSON.stringify(request)}\n`);
    } finally {
      await handle.close();
    }
  }
}

async function writeTexts(input: Input, path: string): Promise<void> {
  const handle = await open(path, 'w');
  try {
    for await (const rows of input.from(0)) {
      await handle.write(rows.map(({ id, text }) => `${JSON.stringify({ id, text })}\n`).join(''));
    }
  } finally {
    await handle.close();
  }
}
