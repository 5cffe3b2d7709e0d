import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ClusterPlace } from '../../../jobs/job';
import { pythonFolder, pythonFolderOn, pythonOf } from './remotePython';
import type { BringRoom } from './remotePython';
import { partWords } from './words';

/** How a part is calculated on a cluster's machine, by our own command or by the Python there. */
export interface PartCall {
  readonly place: ClusterPlace;
  /** What the job is copied from, or begins in. */
  readonly folder: string;
  /** For the number of a part, or the word that an array has for it. */
  argv(number: string): readonly string[];
  /** Where it is written, as its job names it. */
  written(part: string): string;
}

/** What Ray packs and Slurm begins in: nothing has to go along where all machines see the same folders. */
export const emptyFolder = ({ parts }: BringRoom): string => join(parts, 'job');

/** `headroom embed --shard` there. */
export function ownCall(room: BringRoom, place: ClusterPlace, isShared: boolean): PartCall {
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

/** Headroom's scripts in the Python there, on what was brought along; where our folders are seen they are called by their full path. */
export function pythonCall(
  room: BringRoom,
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
  const there = pythonFolderOn(room, machine);
  return {
    place: place.engine === 'slurm' && there !== undefined ? { ...place, folder: there } : place,
    folder,
    written: part => join(folder, part),
    argv: number => [python, 'python/start.py', `part-${number}.json`],
  };
}
