import type { Layer, NearbyFiles } from '../engine/compose';
import { configAt } from './configList';
import type { Command } from './shell';

const IMPORTED = /^[ \t]*(?:from|import)[ \t]+(\w+)/gm;

/** The modules that the script of a command imports; null if it isn't there. */
export async function importedBy(
  command: Command,
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly string[] | null> {
  const script = command.find(({ text }) => text.endsWith('.py'));
  const found = script ? await configAt(script.text, opened.path, files) : null;
  return found && [...found.yaml.text.matchAll(IMPORTED)].map(([, name = '']) => name);
}
