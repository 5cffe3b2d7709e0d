import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedding } from '../../../embed/chunk';
import { sizeText } from '../../../jobs/copy/lines';
import type { JobPlace } from '../../../jobs/job';
import type { Jobs } from '../../../jobs/jobs';
import type { EmbedOptions } from '../options';
import { NEVER } from '../../../core/signal';
import { stagedForPython } from './pythonParts';
import { reasonOf } from '../../../core/text/errors';
import { counted } from '../../../core/units';

/** What a runner needs to decide which program runs the parts, and to copy missing files. */
export interface CopyRoom {
  readonly embedding: Embedding;
  readonly jobs: Jobs;
  readonly input: string;
  /** Where parts are written, or fetched to. */
  readonly parts: string;
  readonly options: EmbedOptions & { readonly onlyPython?: boolean };
  /** The command that starts headroom where parts run. */
  readonly command: readonly string[];
  readonly of: () => number;
  /** The folders on hosts that files were copied to so far; stored with the run. */
  readonly folders: () => Readonly<Record<string, string>>;
  readonly keepFolder: (name: string, folder: string) => Promise<void>;
  readonly hasProgram: (host: string, program: string) => Promise<boolean>;
  readonly say: (text: string) => void;
}

const PYTHON = 'python3';

export const pythonOf = ({ python = PYTHON }: EmbedOptions): string => python;

/**
 * Whether the host's Python runs the parts: vectors of two engines must not be mixed, so one host without our
 * command decides for all.
 */
export async function needsPython(room: CopyRoom, hosts: readonly string[]): Promise<boolean> {
  const { command, options, hasProgram, say } = room;
  const [program = ''] = command;
  const how = `parts run with sentence-transformers and Headroom's scripts in ${pythonOf(options)} there.`;
  if (options.onlyPython === true) {
    say(`Because of --only-python, all ${how}`);
    return true;
  }
  const found = await Promise.all(hosts.map(async name => ((await hasProgram(name, program)) ? [] : [name])));
  const lacking = found.flat();
  if (lacking.length > 0) say(`${program} is not installed on ${lacking.join(', ')}: all ${how}`);
  return lacking.length > 0;
}

/** The local folder that collects the scripts, texts, model and requests for Python. */
export const pythonFolder = ({ parts }: CopyRoom): string => join(parts, 'python');

const keyOf = (name: string): string => `${name}, Python`;

/** The copy of that folder on a machine; undefined: not copied yet. */
export const pythonFolderOn = (room: CopyRoom, name: string): string | undefined =>
  room.folders()[keyOf(name)];

/** A destination of copies; `place` null: it shares our folders. */
interface Machine {
  readonly name: string;
  readonly place: JobPlace | null;
}

/** Collects the files, and copies them to the machines that lack them. */
export async function copyForPython(room: CopyRoom, machines: readonly Machine[]): Promise<void> {
  const { embedding, input, options, of } = room;
  const lacking = machines.filter(({ name }) => pythonFolderOn(room, name) === undefined);
  if (lacking.length === 0) return;
  const folder = pythonFolder(room);
  const isHere = machines.every(({ place }) => place === null);
  const outOf = (part: string): string => (isHere ? `../${part}` : part);
  const files = await stagedForPython(embedding, input, options, of(), folder, outOf);
  for (const machine of lacking) {
    await room.keepFolder(keyOf(machine.name), await copyTo(room, machine, folder, files));
  }
}

/** Removes copied files from a machine; reports if they remain. */
export async function removeCopied(
  { jobs, say }: CopyRoom,
  { name, place }: Machine,
  folder: string | undefined,
): Promise<void> {
  if (place === null || folder === undefined) return;
  await jobs.takeBack(place, folder, NEVER).catch((error: unknown) => {
    const why = reasonOf(error);
    say(`Couldn't remove the copy in ${folder} on ${name}: ${why}`);
  });
}

/** Copies files to a machine; returns the folder there. */
export async function copyTo(
  { jobs, say }: CopyRoom,
  { name, place }: Machine,
  folder: string,
  files: readonly string[],
): Promise<string> {
  if (place === null) return folder;
  const sizes = await Promise.all(files.map(async file => (await stat(join(folder, file))).size));
  const size = sizeText(sizes.reduce((sum, bytes) => sum + bytes, 0));
  say(`Copying ${counted(files.length, 'file')} (${size}) to ${name} …`);
  return jobs.bring(place, { folder, files }, NEVER);
}
