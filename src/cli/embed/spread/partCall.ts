import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ClusterPlace } from '../../../jobs/job';
import { pythonFolder, pythonFolderOn, pythonOf } from './remotePython';
import type { CopyRoom } from './remotePython';
import { partWords } from './words';

/** How a part runs on a cluster's machine, with our own command or with its Python. */
export interface PartCall {
  readonly place: ClusterPlace;
  /** The folder that the job copies, or starts in. */
  readonly folder: string;
  /** `number`: a part's number, or the placeholder of an array. */
  argv(number: string): readonly string[];
  /** The output path of a part, from the job's point of view. */
  written(part: string): string;
}

/** An empty folder that Ray packs or Slurm starts in: with shared folders nothing must be copied. */
export const emptyFolder = ({ parts }: CopyRoom): string => join(parts, 'job');

/** `headroom embed --shard` on that machine. */
export function ownCall(room: CopyRoom, place: ClusterPlace, isShared: boolean): PartCall {
  const { input, options, command, of } = room;
  const folder = isShared ? emptyFolder(room) : dirname(input);
  const parts = isShared ? room.parts : folder;
  const model =
    options.model !== undefined && existsSync(options.model) ? resolve(options.model) : options.model;
  const written = (part: string): string => join(parts, part);
  return {
    place,
    folder,
    written,
    argv: number => [
      ...[...command, 'embed', input, ...partWords(options, model)],
      ...['--shard', `${number}/${of()}`, '--resume', '--progress', 'json'],
      ...['--out', written(`part-${number}`)],
    ],
  };
}

/**
 * Headroom's scripts in the machine's Python, on the copied files; with shared folders they are called by absolute
 * path.
 */
export function pythonCall(
  room: CopyRoom,
  machine: string,
  place: ClusterPlace,
  isShared: boolean,
): PartCall {
  const folder = pythonFolder(room);
  const python = pythonOf(room.options);
  if (isShared) {
    return {
      place,
      folder: emptyFolder(room),
      written: part => join(room.parts, part),
      argv: number => [python, join(folder, 'python/start.py'), join(folder, `part-${number}.json`)],
    };
  }
  const remoteFolder = pythonFolderOn(room, machine);
  return {
    place:
      place.engine === 'slurm' && remoteFolder !== undefined ? { ...place, folder: remoteFolder } : place,
    folder,
    written: part => join(folder, part),
    argv: number => [python, 'python/start.py', `part-${number}.json`],
  };
}
