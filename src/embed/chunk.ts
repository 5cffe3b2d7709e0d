import { DEFAULT_MODEL } from './defaultModel/facts';
import { defaultModelFolder } from './defaultModel/ensure';
import { derivedModelFolder } from './defaultModel/derived';
import { chooseDevice } from './engine/device';
import { checkNatives } from './engine/natives';
import { EmbedError } from './errors';
import { readModelFolder } from './folder/modelFolder';
import { hasSafetensors, readPythonFolder } from './folder/pythonFolder';
import { formatOf } from './input/open';
import { readManifest } from './output/manifest';
import { embed, resume } from './run/embed';
import { PART_FILES, writeParts } from './run/brought';
import { merge } from './run/merge';
import { verify } from './run/verify';

/** The exports that the CLI uses, in one file that is loaded for embedding. */
export const embedding = {
  DEFAULT_MODEL,
  checkNatives,
  chooseDevice,
  defaultModelFolder,
  derivedModelFolder,
  readModelFolder,
  readPythonFolder,
  hasSafetensors,
  readManifest,
  formatOf,
  embed,
  resume,
  BROUGHT: PART_FILES,
  writeParts,
  merge,
  verify,
  /** A failure's message for the user; null for an error from elsewhere. */
  faultOf: (error: unknown) => (error instanceof EmbedError ? error : null),
};

export type Embedding = typeof embedding;
