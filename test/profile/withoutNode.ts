import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAMS_OF_NODE = new Set(['node', 'nodejs', 'npm', 'npx', 'corepack', 'headroom']);

/** All programs of this system but those of Node. */
export function toolsWithoutNode(folder: string): string {
  mkdirSync(folder);
  for (const name of readdirSync('/usr/bin')) {
    if (!PROGRAMS_OF_NODE.has(name)) symlinkSync(join('/usr/bin', name), join(folder, name));
  }
  return folder;
}
