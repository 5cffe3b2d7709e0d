import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JobRecord } from '../../jobs/job';
import type { Jobs } from '../../jobs/jobs';
import { openJobs } from '../../jobs/openJobs';
import { stateFolder } from '../../jobs/stateFolder';
import { visible } from '../../core/text/visible';
import { BadInput } from '../output';
import { keepMeasured } from './keepMeasured';

export interface JobsOptions {
  readonly sshConfig?: string;
}

/** Only for tests, which kill starts and would otherwise wait minutes until those count as failed. */
function startLimitMs(): number | undefined {
  const seconds = Number(process.env['HEADROOM_START_LIMIT_S'] ?? NaN);
  return seconds > 0 ? seconds * 1000 : undefined;
}

/** The user's jobs for the CLI. */
export function openJobsHere({ sshConfig }: JobsOptions): Jobs {
  if (sshConfig !== undefined && !existsSync(sshConfig)) {
    throw new BadInput(`--ssh-config ${sshConfig}: no such file.`);
  }
  return openJobs({
    state: stateFolder(),
    keeper: join(__dirname, 'keeper.js'),
    executables: {},
    say: sentence => void process.stderr.write(`${visible(sentence)}\n`),
    keepMeasurement: (measurement, file) => keepMeasured(stateFolder(), measurement, file),
    startLimitMs: startLimitMs(),
    ssh: sshConfig === undefined ? {} : { configFile: resolve(sshConfig) },
  });
}

/** The job with an id, a unique part of an id, or `last`. */
export async function jobNamed(jobs: Jobs, name: string): Promise<JobRecord> {
  const all = await jobs.list();
  const found = name === 'last' ? all.slice(-1) : all.filter(({ id }) => id.includes(name));
  const [first, second] = found;
  if (first && !second) return first;
  if (!first) throw new BadInput(`${name}: no such job; list jobs with headroom jobs.`);
  const ids = found.map(({ id }) => id).join(', ');
  throw new BadInput(`${name}: matches ${ids}; give more of the id.`);
}
