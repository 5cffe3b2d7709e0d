import { explainOom } from '../core/output/oom/explain';
import type { OomReport } from '../core/output/oom/report';
import { openRegular } from '../files/bounded';
import type { JobConfig, JobRecord } from './job';
import { JobStore } from './store';

/** Configs whose last job is checked. */
const MOST_CONFIGS = 50;
/** The end of a job's output to read: as much as the explainer uses. */
export const TAIL_BYTES = 256 * 1024;

/** The last job of each run of a config. */
export function latestOfConfigs(records: readonly JobRecord[]): readonly JobRecord[] {
  const latest = new Map<string, JobRecord>();
  for (const record of records) {
    const { config } = record;
    if (config === null || latest.size >= MOST_CONFIGS) continue;
    const key = `${config.file}\n${config.run}`;
    const known = latest.get(key);
    if (!known || known.createdMs < record.createdMs) latest.set(key, record);
  }
  return [...latest.values()];
}

/**
 * Why memory ran out, from the end of a job's output and the reports of a scheduler or the kernel; null: it did
 * not.
 */
export function whyRanOut(tail: string, { exit }: JobRecord): OomReport | null {
  const words = [
    exit?.reason === 'OUT_OF_MEMORY' ? 'State: OUT_OF_MEMORY' : null,
    exit?.signal === 'SIGKILL' || exit?.code === 137 ? 'Process exited with exit code 137 (SIGKILL)' : null,
  ].filter(word => word !== null);
  return explainOom(words.length === 0 ? tail : `${tail}\n${words.join('\n')}\n`);
}

/** A run of a config whose last job ran out of memory. */
export interface RanOut {
  readonly config: JobConfig;
  readonly report: OomReport;
}

/** According to the records on this disk; no host is contacted. */
export async function ranOut(state: string): Promise<readonly RanOut[]> {
  const store = new JobStore(state);
  const failed = latestOfConfigs((await store.all()).toReversed()).filter(
    record => record.state === 'failed',
  );
  const found = await Promise.all(
    failed.map(async record => {
      const report = whyRanOut(await tailOf(store.paths(record.id).output), record);
      return record.config && report ? [{ config: record.config, report }] : [];
    }),
  );
  return found.flat();
}

/** Empty if the output is on another machine. */
async function tailOf(path: string): Promise<string> {
  const opened = await openRegular(path).catch(() => null);
  if (opened === null || 'why' in opened) return '';
  const file = opened.handle;
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
