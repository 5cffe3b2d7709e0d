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

/** What a runner needs to know whose program calculates, and to bring along what it lacks. */
export interface BringRoom {
  readonly embedding: Embedding;
  readonly jobs: Jobs;
  readonly input: string;
  /** Where parts are, or are brought to. */
  readonly parts: string;
  readonly options: EmbedOptions & { readonly onlyPython?: boolean };
  /** How headroom is called where parts run. */
  readonly command: readonly string[];
  readonly of: () => number;
  /** Where things lie on hosts, as far as they were brought; kept with the run. */
  readonly folders: () => Readonly<Record<string, string>>;
  readonly brought: (name: string, folder: string) => Promise<void>;
  readonly hasProgram: (host: string, program: string) => Promise<boolean>;
  readonly say: (text: string) => void;
}

const PYTHON = 'python3';

export const pythonOf = ({ python = PYTHON }: EmbedOptions): string => python;

/** Whether the Python there calculates: vectors of two engines are not put together, so one host without our command decides. */
export async function needsPython(room: BringRoom, hosts: readonly string[]): Promise<boolean> {
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

/** Where the scripts, the texts, the model and the requests for Python are put together here. */
export const pythonFolder = ({ parts }: BringRoom): string => join(parts, 'python');

const keyOf = (name: string): string => `${name}, Python`;

/** Where all of it lies on a machine; undefined: it was not brought there yet. */
export const pythonFolderOn = (room: BringRoom, name: string): string | undefined =>
  room.folders()[keyOf(name)];

/** Where something goes; `place` null: there our folders are seen. */
export interface Machine {
  readonly name: string;
  readonly place: JobPlace | null;
}

/** Puts it together, and brings it to the machines that lack it. */
export async function bringForPython(room: BringRoom, machines: readonly Machine[]): Promise<void> {
  const { embedding, input, options, of } = room;
  const lacking = machines.filter(({ name }) => pythonFolderOn(room, name) === undefined);
  if (lacking.length === 0) return;
  const folder = pythonFolder(room);
  const isHere = machines.every(({ place }) => place === null);
  const outOf = (part: string): string => (isHere ? `../${part}` : part);
  const files = await stagedForPython(embedding, input, options, of(), folder, outOf);
  for (const machine of lacking) {
    await room.brought(keyOf(machine.name), await broughtTo(room, machine, folder, files));
  }
}

/** Takes away what was brought to a machine; where it is left, someone is told. */
export async function takeBack(
  { jobs, say }: BringRoom,
  { name, place }: Machine,
  folder: string | undefined,
): Promise<void> {
  if (place === null || folder === undefined) return;
  await jobs.takeBack(place, folder, NEVER).catch((error: unknown) => {
    const why = reasonOf(error);
    say(`Couldn't remove the copy in ${folder} on ${name}: ${why}`);
  });
}

/** Brings files to a machine; the folder there. */
export async function broughtTo(
  { jobs, say }: BringRoom,
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
