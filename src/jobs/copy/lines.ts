import { counted } from '../../core/units';
import { JobError } from '../engine';
import type { Choice } from './choose';

const MOST_NAMES = 6;

/** The lines about a copy on the start screen. Throws if it is too large. */
export function copyLines(choice: Choice, to: string, mostBytes: number): readonly string[] {
  refuseTooMuch(choice, mostBytes);
  const { files, bytes, folder, leftOut } = choice;
  const lines = [`Copies ${counted(files.length, 'file')} (${sizeText(bytes)}) of ${folder} to ${to}.`];
  if (leftOut.length > 0) {
    const names = leftOut.slice(0, MOST_NAMES).map(({ path, why }) => `${path} (${why})`);
    const more = leftOut.length - names.length;
    lines.push(`Not copied: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`);
  }
  return lines;
}

/** The limit is for folders with data and checkpoints, which should already be on the host. */
export function refuseTooMuch({ bytes, biggest, folder }: Choice, mostBytes: number): void {
  if (bytes <= mostBytes) return;
  const names = biggest.map(file => `${file.path} (${sizeText(file.bytes)})`).join(', ');
  throw new JobError(
    'refused',
    `${folder} has ${sizeText(bytes)} to copy; the limit is ${sizeText(mostBytes)}. In .headroomignore, exclude what the host already has, one entry per line: ${names}.`,
  );
}

const KB = 1000;

/** `1.2 MB`, decimal, as for disks and networks. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const at = bytes < KB ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / KB ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}
