import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskFault } from '../errors';
import { ALONE_FROM_TOKENS } from '../engine/batches';
import { encodedBertWithData } from '../graph/bert';
import type { DataFile } from '../graph/encode';
import { blockWeights } from '../graph/decode';
import { flatBert } from '../graph/flatBert';
import { columns, rows } from '../graph/weights';
import { sizesOf } from './build';
import { DEFAULT_MODEL } from './facts';
import { cacheFolder } from '../../files/cacheFolder';
import { partOf, removeLeft } from './place';

const FORMS = {
  /** Uncompressed weights in a file that the system maps into memory without copying. */
  flat: {
    onnx: DEFAULT_MODEL.onnx,
    storage: rows,
    unmaskedFrom: ALONE_FROM_TOKENS,
    beside: 'model.onnx_data',
  },
  /** For integer arithmetic; texts are processed one by one. */
  'flat-int8': {
    onnx: 'onnx/model_quantized.onnx',
    storage: columns,
    unmaskedFrom: 1,
    beside: 'model_quantized.onnx_data',
  },
} as const;

type Form = (typeof FORMS)[keyof typeof FORMS];

/** The default model in another form, created once on this machine from the existing one. */
export async function derivedModelFolder(from: string, form: keyof typeof FORMS): Promise<string> {
  const { onnx } = FORMS[form];
  const name = `${DEFAULT_MODEL.name}-${form}-${DEFAULT_MODEL.onnxSha256.slice(0, 12)}`;
  const folder = join(cacheFolder(), 'models', name);
  if (existsSync(join(folder, onnx))) return folder;
  await removeLeft(folder);
  const temporary = partOf(folder);
  try {
    for (const file of [...DEFAULT_MODEL.kept, 'LICENSE', 'NOTICE']) {
      await mkdir(dirname(join(temporary, file)), { recursive: true });
      await copyFile(join(from, file), join(temporary, file));
    }
    const { model, data } = await written(from, FORMS[form]);
    const at = dirname(join(temporary, onnx));
    await mkdir(at, { recursive: true });
    await writeFile(join(at, data.name), data.bytes, { flush: true });
    await writeFile(join(temporary, onnx), model, { flush: true });
    await rename(temporary, folder).catch((error: unknown) => {
      if (!existsSync(join(folder, onnx))) throw error;
    });
  } catch (error) {
    throw diskFault(folder, error);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

async function written(
  from: string,
  { storage, unmaskedFrom, beside: dataFile }: Form,
): Promise<{ readonly model: Uint8Array; readonly data: DataFile }> {
  const path = join(from, DEFAULT_MODEL.onnx);
  const config = JSON.parse(await readFile(join(from, 'config.json'), 'utf8')) as Record<string, unknown>;
  const weights = blockWeights(await readFile(path), path);
  const encoder = flatBert({ sizes: sizesOf(config), weights, storage }, unmaskedFrom);
  return encodedBertWithData(encoder, dataFile);
}
