import { stat } from 'node:fs/promises';
import type { Files } from '../core/text/files';
import { dirname, join } from '../core/text/paths';
import { expandHome } from './environment';
import type { Environment } from './environment';
import { cachedModel, huggingFaceCacheFolder } from './huggingFaceCache';

const TOKENIZER = 'tokenizer.json';

/** The tokenizer of a model on this machine: in a folder that its name leads to, or in the Hugging Face cache. */
export async function tokenizerFile(
  files: Files,
  environment: Environment,
  model: string,
  from: string,
): Promise<string | null> {
  const named = expandHome(model, environment.home);
  const cached = await cachedModel(files, huggingFaceCacheFolder(environment), model);
  const folders = [join(dirname(from), named), join('', named), ...cached.folders].filter(
    folder => folder !== '',
  );
  const tries = [
    ...folders.map(folder => join(folder, TOKENIZER)),
    ...(named.endsWith('.json') ? [named] : []),
  ];
  for (const path of tries) if (await isFile(path)) return path;
  return null;
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    found => found.isFile(),
    () => false,
  );
