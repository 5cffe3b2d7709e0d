// A config, and a stand-in for a trainer that prints a real one's output for it.
import type { VSCode } from '../host/driver';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { JobRecord } from '../../src/jobs/job';
import { root } from '../../scripts/lib/root.mjs';
import { temporaryFolder } from '../../scripts/lib/temporary.mjs';

/** QLoRA of a small model: fits a GPU with 16 GB. */
export const SMALL = `base_model: NousResearch/Llama-3.2-1B
datasets: [{path: tatsu-lab/alpaca, type: alpaca}]
adapter: qlora
load_in_4bit: true
lora_r: 16
lora_alpha: 32
lora_target_linear: true
sequence_len: 1024
micro_batch_size: 1
gradient_accumulation_steps: 4
gradient_checkpointing: true
bf16: true
output_dir: out
`;

/** The previous PATH follows after it. */
export const withTrainer = (...more: readonly string[]): string =>
  [...more, join(root, 'test/fixtures/jobs'), process.env['PATH']].join(delimiter);

/** A folder that is removed after the run. */
export const scratch = (name: string): string => temporaryFolder(`headroom-ui-${name}`).folder;

/** Job records of the windows that share an environment. */
export const JOB_STATE = scratch('jobs');
/** A trainer that runs for a hundred seconds unless stopped. */
export const JOBS_ENV = {
  HEADROOM_STATE: JOB_STATE,
  PATH: withTrainer(),
  FAKE_STEPS: '400',
  FAKE_STEP_MS: '250',
};

/** Removes the ended jobs of earlier tests, so that they are not offered. */
export function forgetJobs(): void {
  const jobs = join(JOB_STATE, 'jobs');
  if (!existsSync(jobs)) return;
  for (const id of readdirSync(jobs)) rmSync(join(jobs, id), { recursive: true, force: true });
}

/** The status bar's item. */
export const JOBS = 'gpu-headroom.gpu-headroom.headroom.jobs';

/** Records of a state folder, oldest first. */
export function recordsIn(state: string): readonly JobRecord[] {
  const jobs = join(state, 'jobs');
  if (!existsSync(jobs)) return [];
  const ids = readdirSync(jobs).filter(id => /^\d/.test(id));
  return ids.sort().map(id => JSON.parse(readFileSync(join(jobs, id, 'job.json'), 'utf8')) as JobRecord);
}

/** The text of the one screen before a start. */
export async function startScreen(vs: VSCode): Promise<string> {
  const box = vs.page.locator('.monaco-dialog-box');
  await box.waitFor();
  return box.innerText();
}

export const noJobs = (vs: VSCode): Promise<boolean> =>
  vs.until('no job in the status bar', async () => !(await vs.hasStatus(JOBS)));
