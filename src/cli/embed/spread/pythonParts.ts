import { copyFile, link, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Embedding } from '../../../embed/chunk';
import { version } from '../../../../package.json';
import { BadInput } from '../../output';
import { chosenModel } from '../models';
import type { EmbedOptions } from '../options';
import { inputOf, overridesOf } from '../options';

/**
 * Puts the scripts, the texts, the model and a request per part in one folder: all that a machine without Node
 * needs in addition to its Python. `outOf` gives a part's output path relative to the folder.
 */
export async function stagedForPython(
  embedding: Embedding,
  input: string,
  options: EmbedOptions,
  of: number,
  folder: string,
  outOf: (part: string) => string,
): Promise<readonly string[]> {
  if (options.worker === 'onnx' || options.precision === 'int8') {
    const option = options.worker === 'onnx' ? '--worker onnx' : '--precision int8';
    throw new BadInput(
      `${option} needs headroom on every host. Set --host-command to the command that starts it.`,
    );
  }
  const python = { ...options, worker: 'python' } as const;
  const chosen = await chosenModel(embedding, options.model ?? null, overridesOf(options), python);
  const { model, modelFolder } = chosen;
  if (model.runtime !== 'sentence-transformers') throw new BadInput('This model does not run in Python.');
  await rm(folder, { recursive: true, force: true });
  await copied(join(__dirname, 'python'), join(folder, 'python'));
  await copied(model.folder, join(folder, embedding.BROUGHT.model));
  const { rowsPerShard, batchTokens, batchRows, device, format } = options;
  const order = {
    ...{ model, modelFolder, rowsPerShard, batchTokens, batchRows, device, format, outOf },
    input: inputOf(embedding, input, options),
    createdBy: `headroom ${version}`,
  };
  await embedding.writeParts(order, of, folder);
  return filesBelow(folder);
}

/** Compiled, hidden and unneeded weight files are not copied. */
const LEFT_OUT =
  /(^|\/)(\.|__pycache__|onnx$|onnx\/|openvino\/|pytorch_model.*\.bin$|[^/]*\.(pyc|onnx|onnx_data|h5|msgpack|ot)$)/;

async function copied(from: string, to: string): Promise<void> {
  for (const path of await filesBelow(from)) {
    if (LEFT_OUT.test(path)) continue;
    const target = join(to, path);
    await mkdir(dirname(target), { recursive: true });
    // Links instead of copying large files if possible.
    const source = await realpath(join(from, path));
    await link(source, target).catch(() => copyFile(source, target));
  }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => !entry.isDirectory());
  return files
    .map(entry =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}
