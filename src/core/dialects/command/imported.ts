import type { DialectProgram, Layer, NearbyFiles, OwnProgram } from '../engine/compose';
import { configAt } from './configList';
import type { Command } from './word';

const IMPORTED = /^[ \t]*(?:from|import)[ \t]+(\w+)/gm;

/** The modules that the script of a command imports; null if it isn't there. */
export async function importedBy(
  command: Command,
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly string[] | null> {
  const script = command.find(({ text }) => text.endsWith('.py'));
  const found = script ? await configAt(script.text, opened.path, files) : null;
  return found && importsIn(found.yaml.text);
}

/** The modules that a program imports. */
export const importsIn = (text: string): readonly string[] =>
  [...text.matchAll(IMPORTED)].map(([, name = '']) => name);

/** True if one of a framework's modules, which stand in one text, is among those that a program imports. */
export const isImported = (modules: string, imports: readonly string[]): boolean =>
  modules.split(' ').some(one => imports.includes(one));

/** A command, and where it stands. */
interface Start {
  readonly command: Command;
  readonly opened: Layer;
  readonly files: NearbyFiles;
}

/** True if the script of a command imports one of a framework's modules; false if the script isn't there. */
export const importsOne = async (
  modules: string | undefined,
  { command, opened, files }: Start,
): Promise<boolean> =>
  modules !== undefined && isImported(modules, (await importedBy(command, opened, files)) ?? []);

/** Flags that no one's own program is told from by their names are a framework's only in a program that imports it. */
export const canBeOf = ({ imports }: OwnProgram, of: DialectProgram | undefined): boolean =>
  of?.program.module === undefined ||
  of.program.flags !== undefined ||
  isImported(of.program.module, imports);
