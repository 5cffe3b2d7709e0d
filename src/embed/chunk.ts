/** What the command line takes of this room, in one file that is loaded when something is embedded. */
import { DEFAULT_MODEL } from './defaultModel/facts';
import { defaultModelFolder } from './defaultModel/ensure';
import { readModelFolder } from './folder/modelFolder';
import { readManifest } from './output/manifest';
import { embed, resume } from './run/embed';

export const engine = { DEFAULT_MODEL, defaultModelFolder, readModelFolder, readManifest, embed, resume };
