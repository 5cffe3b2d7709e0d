import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { replaceAll } from './files';
import type { Replaced } from './files';
import { BadInput } from './output';

/** An applied plan: its files, their backups, and hashes that detect later edits. */
interface UndoRecord {
  readonly files: readonly {
    readonly path: string;
    readonly backup: string;
    readonly beforeHash: string;
    readonly afterHash: string;
  }[];
}

/** Applied plans that can be undone, newest last. */
const KEPT = 50;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Outside the project, in the platform's state folder. It contains paths and hashes, no file contents. */
function recordFile(): string {
  const state =
    process.env['XDG_STATE_HOME'] ?? process.env['LOCALAPPDATA'] ?? join(homedir(), '.local', 'state');
  return join(state, 'headroom', 'applied.json');
}

async function records(): Promise<UndoRecord[]> {
  try {
    const stored: unknown = JSON.parse(await readFile(recordFile(), 'utf8'));
    return Array.isArray(stored) ? (stored as UndoRecord[]) : [];
  } catch {
    return [];
  }
}

async function store(all: readonly UndoRecord[]): Promise<void> {
  await mkdir(dirname(recordFile()), { recursive: true });
  await writeFile(recordFile(), JSON.stringify(all.slice(-KEPT)), { mode: 0o600 });
}

/** Records an applied plan. */
export async function recordUndo(replaced: readonly Replaced[]): Promise<void> {
  const files = replaced.map(({ path, before, after, backup }) => ({
    path,
    backup,
    beforeHash: hash(before),
    afterHash: hash(after),
  }));
  await store([...(await records()), { files }]);
}

/** Undoes the last plan applied to a file; refuses if one of its files was edited since. */
export async function undoLast(file: string): Promise<readonly string[]> {
  const path = await realpath(file).catch(() => file);
  const all = await records();
  const at = all.findLastIndex(record => record.files.some(one => one.path === path));
  const record = all[at];
  if (!record) throw new BadInput(`${file}: headroom optimize has not applied a plan to this file.`);
  const back = [];
  for (const one of record.files) {
    const now = await readFile(one.path, 'utf8').catch(() => null);
    if (now === null || hash(now) !== one.afterHash) {
      throw new BadInput(
        `${one.path} was edited after the plan was applied, so nothing was undone. Its backup is ${one.backup}.`,
      );
    }
    const before = await readFile(one.backup, 'utf8').catch(() => null);
    if (before === null || hash(before) !== one.beforeHash) {
      throw new BadInput(`${one.backup}: the backup is missing or was edited, so nothing was undone.`);
    }
    back.push({ path: one.path, before: now, after: before });
  }
  await replaceAll(back, false);
  for (const one of record.files) await rm(one.backup, { force: true });
  await store(all.toSpliced(at, 1));
  return record.files.map(one => one.path);
}
