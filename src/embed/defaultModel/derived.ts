import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskFault } from '../errors';
import { bertModel } from '../graph/bert';
import { blockWeights } from '../graph/decode';
import { columns, plain } from '../graph/weights';
import type { Storage } from '../graph/weights';
import { sizesOf } from './build';
import { DEFAULT_MODEL } from './facts';
import { cacheFolder } from './place';

const FORMS = {
  /** Weights in full: onnxruntime loads it in half of the memory that it takes to expand small ones. Same vectors. */
  fp32: { onnx: DEFAULT_MODEL.onnx, storage: plain },
  /** For sums of whole numbers. */
  int8: { onnx: 'onnx/model_quantized.onnx', storage: columns },
} as const;

/** The default model in another form, made on this machine from the one that is there, once. */
export async function derivedModelFolder(from: string, form: keyof typeof FORMS): Promise<string> {
  const { onnx, storage } = FORMS[form];
  const name = `${DEFAULT_MODEL.name}-${form}-${DEFAULT_MODEL.onnxSha256.slice(0, 12)}`;
  const folder = join(cacheFolder(), 'models', name);
  if (existsSync(join(folder, onnx))) return folder;
  const temporary = `${folder}.${process.pid}.part`;
  try {
    for (const file of [...DEFAULT_MODEL.kept, 'LICENSE', 'NOTICE']) {
      await mkdir(dirname(join(temporary, file)), { recursive: true });
      await copyFile(join(from, file), join(temporary, file));
    }
    await mkdir(dirname(join(temporary, onnx)), { recursive: true });
    await writeFile(join(temporary, onnx), await written(from, storage), { flush: true });
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

async function written(from: string, storage: Storage): Promise<Uint8Array> {
  const path = join(from, DEFAULT_MODEL.onnx);
  const config = JSON.parse(await readFile(join(from, 'config.json'), 'utf8')) as Record<string, unknown>;
  return bertModel(sizesOf(config), blockWeights(await readFile(path), path), storage);
}
