import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Embedding } from '../../embed/chunk';
import type { EmbedModel, ModelOverrides } from '../../embed/folder/modelFolder';
import type { Interpreter } from '../../embed/python/process';
import { nodeEnvironment } from '../../world/environment';
import { cachedModel, huggingFaceCacheFolder } from '../../world/huggingFaceCache';
import { NodeFiles } from '../../world/nodeFiles';
import { BadInput, terminalOutput } from '../output';
import { interpreterFor } from '../profile/interpreter';
import type { EngineOptions } from './options';

interface ChosenModel {
  readonly model: EmbedModel;
  /** As the user named it; null: the default model. */
  readonly modelFolder: string | null;
}

/** A model by folder or Hub name; the default model if none is given, or by its own name. */
export async function chosenModel(
  embedding: Embedding,
  named: string | null,
  overrides: ModelOverrides,
  options: EngineOptions,
): Promise<ChosenModel> {
  const { id, name } = embedding.DEFAULT_MODEL;
  const isDefault = named === null || ((named === id || named === name) && !existsSync(named));
  if (!isDefault) {
    const folder = existsSync(named) ? named : await hubCacheFolder(named);
    return { model: await modelIn(embedding, folder, overrides, options), modelFolder: named };
  }
  if (options.worker === 'python') {
    const model = await embedding.readPythonFolder(await hubCacheFolder(id), overrides);
    return { model: { ...model, name }, modelFolder: id };
  }
  embedding.checkNatives();
  const { err } = terminalOutput(options);
  const shipped = join(__dirname, 'models', name);
  const plain = await embedding.defaultModelFolder({ shipped, wheel: options.modelWheel, report: err });
  const madeFrom = join(plain, embedding.DEFAULT_MODEL.onnx);
  const chosen = async (folder: string): Promise<ChosenModel> => ({
    model: { ...(await embedding.readModelFolder(folder, overrides)), name, madeFrom },
    modelFolder: null,
  });
  if (overrides.precision === 'int8') return chosen(await embedding.derivedModelFolder(plain, 'flat-int8'));
  const { device } = embedding.chooseDevice(options.device);
  // If the cache is not writable, the compressed form gives the same vectors to six digits, but takes more memory.
  const folder =
    device === 'cpu' ? await embedding.derivedModelFolder(plain, 'flat').catch(() => plain) : plain;
  return chosen(folder);
}

/** As requested; with `auto`, Headroom's own engine if it can read the folder, else Python if allowed. */
async function modelIn(
  embedding: Embedding,
  folder: string,
  overrides: ModelOverrides,
  options: EngineOptions,
): Promise<EmbedModel> {
  if (options.worker === 'python') return embedding.readPythonFolder(folder, overrides);
  try {
    embedding.checkNatives();
    return await embedding.readModelFolder(folder, overrides);
  } catch (error) {
    const fault = embedding.faultOf(error);
    const isOpen =
      options.worker === 'auto' && overrides.precision === 'fp32' && overrides.onnx === undefined;
    const isElsewhere = fault?.fault === 'bad-model' || fault?.fault === 'engine';
    if (!isElsewhere || !isOpen || !existsSync(folder) || !embedding.hasSafetensors(folder)) {
      throw error;
    }
    const why = fault.message
      .replace(/[;:,.] (?:and nothing|export|save|Install) .*$/s, '')
      .replace(/\.$/, '');
    terminalOutput(options).err(`${why}. Use sentence-transformers in Python.`);
    return embedding.readPythonFolder(folder, overrides);
  }
}

/** The Python for a model that needs it; null for others. */
export async function pythonFor(model: EmbedModel, options: EngineOptions): Promise<Interpreter | null> {
  if (model.runtime === 'onnxruntime') return null;
  return (await interpreterFor(process.cwd(), options.python)).interpreter;
}

/** The model in huggingface_hub's cache. Nothing is downloaded unless the user asks for it. */
async function hubCacheFolder(named: string): Promise<string> {
  const environment = nodeEnvironment();
  const files = new NodeFiles(environment.workingFolder);
  const { folders } = await cachedModel(files, huggingFaceCacheFolder(environment), named);
  const found = folders.find(existsSync);
  if (found !== undefined) return found;
  throw new BadInput(
    `${named}: not a folder, and not in the Hugging Face cache; download it with: hf download ${named}`,
  );
}
