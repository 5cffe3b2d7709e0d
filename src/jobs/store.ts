import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { boundedText } from '../files/bounded';
import { JobError } from './engine';
import { diskError, ownFolder, readJson, writeWhole } from './files';
import { isJobId } from './id';
import type { JobRecord, JobRequest } from './job';
import { withLock } from './lock';
import { recordFrom } from './readRecord';
import { readSecrets } from './secrets';
import type { KeptSecrets } from './secrets';
import { jobPaths, jobsFolder } from './stateFolder';
import type { JobPaths } from './stateFolder';
import { isRecord } from '../core/text/json';

interface Kept {
  readonly stamp: string;
  readonly record: JobRecord;
}

/**
 * File timestamps are coarse and inode numbers are reused: a file written this recently may have been replaced
 * since without a visible difference.
 */
const SETTLED_MS = 1000;

/** The records on this user's disk. Several windows and commands read and write them concurrently. */
export class JobStore {
  private readonly kept = new Map<string, Kept>();

  constructor(readonly state: string) {}

  get folder(): string {
    return jobsFolder(this.state);
  }

  paths(id: string): JobPaths {
    if (!isJobId(id)) throw new JobError('gone', `${id}: not a job id; list jobs with headroom jobs.`);
    return jobPaths(this.state, id);
  }

  /** In order of creation. */
  async ids(): Promise<readonly string[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names.filter(isJobId).sort();
  }

  async read(id: string): Promise<JobRecord | null> {
    const { record: path } = this.paths(id);
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      const kept = this.kept.get(id);
      if (kept?.stamp === stamp) return kept.record;
      const nowMs = Date.now();
      const record = recordFrom((await boundedText(path)) ?? '', id);
      if (record && nowMs - mtimeMs > SETTLED_MS) this.kept.set(id, { stamp, record });
      return record;
    } catch {
      return null;
    }
  }

  async all(): Promise<readonly JobRecord[]> {
    const records = await Promise.all((await this.ids()).map(id => this.read(id)));
    return records.filter(record => record !== null).toSorted((a, b) => a.createdMs - b.createdMs);
  }

  /** Jobs whose records cannot be read or understood. */
  async odd(): Promise<readonly string[]> {
    const ids = await this.ids();
    const records = await Promise.all(ids.map(id => this.read(id)));
    return ids.filter((_, i) => records[i] === null);
  }

  /** Creates a job's folder atomically with all of its files. */
  async create(record: JobRecord, request: JobRequest, kept: KeptSecrets | null): Promise<void> {
    const { folder } = this.paths(record.id);
    const unfinished = join(this.folder, `.new-${record.id}`);
    await ownFolder(this.folder);
    try {
      await mkdir(unfinished, { mode: 0o700 });
      if (kept) await writeWhole(join(unfinished, 'secrets.json'), textOf(kept));
      await writeWhole(join(unfinished, 'request.json'), textOf(request));
      await writeWhole(join(unfinished, 'job.json'), textOf(record));
      await rename(unfinished, folder);
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
      throw error instanceof JobError ? error : diskError(folder, error);
    }
  }

  /** The original request; null if the job no longer exists. */
  async request(id: string): Promise<JobRequest | null> {
    const value = await readJson(this.paths(id).request);
    return isRecord(value) && Array.isArray(value['argv']) ? (value as unknown as JobRequest) : null;
  }

  /** The stored secrets of a job. */
  secrets(id: string): Promise<KeptSecrets | null> {
    return readSecrets(this.paths(id).secrets);
  }

  /** Changes the current record; `change` returns null to leave it as it is. Returns the resulting record. */
  async update(id: string, change: (record: JobRecord) => JobRecord | null): Promise<JobRecord> {
    const { record: path } = this.paths(id);
    return withLock(`${path}.lock`, async () => {
      const record = await this.read(id);
      if (!record) throw new JobError('gone', `${id}: no such job; list jobs with headroom jobs.`);
      const changed = change(record);
      if (changed === null || changed === record) return record;
      await writeWhole(path, textOf(changed));
      return changed;
    });
  }

  async remove(id: string): Promise<void> {
    this.kept.delete(id);
    const { folder } = this.paths(id);
    await rm(folder, { recursive: true, force: true }).catch((error: unknown) => {
      throw diskError(folder, error);
    });
  }
}

const textOf = (value: JobRecord | JobRequest | KeptSecrets): string => `${JSON.stringify(value, null, 2)}\n`;
