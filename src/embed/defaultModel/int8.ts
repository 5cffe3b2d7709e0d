import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskFault } from '../errors';
import { bertModel } from '../graph/bert';
import { blockWeights } from '../graph/decode';
import { columns } from '../graph/weights';
import { sizesOf } from './build';
import { DEFAULT_MODEL } from './facts';
import { cacheFolder } from './place';

const INT8 = 'onnx/model_quantized.onnx';

/** The default model for sums of whole numbers: made on this machine from the one that is there, once. */
export async function int8ModelFolder(from: string): Promise<string> {
  const name = `${DEFAULT_MODEL.name}-int8-${DEFAULT_MODEL.onnxSha256.slice(0, 12)}`;
  const folder = join(cacheFolder(), 'models', name);
  if (existsSync(join(folder, INT8))) return folder;
  const temporary = `${folder}.${process.pid}.part`;
  try {
    for (const file of [...DEFAULT_MODEL.kept, 'LICENSE', 'NOTICE']) {
      await mkdir(dirname(join(temporary, file)), { recursive: true });
      await copyFile(join(from, file), join(temporary, file));
    }
    await mkdir(dirname(join(temporary, INT8)), { recursive: true });
    await writeFile(join(temporary, INT8), await int8Onnx(from), { flush: true });
    await rename(temporary, folder).catch((error: unknown) => {
      if (!existsSync(join(folder, INT8))) throw error;
    });
  } catch (error) {
    throw diskFault(folder, error);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

async function int8Onnx(from: string): Promise<Uint8Array> {
  const path = join(from, DEFAULT_MODEL.onnx);
  const config = JSON.parse(await readFile(join(from, 'config.json'), 'utf8')) as Record<string, unknown>;
  return bertModel(sizesOf(config), blockWeights(await readFile(path), path), columns);
}
