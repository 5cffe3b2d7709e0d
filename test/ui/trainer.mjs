// A config, and the stand-in of a trainer that prints what a real one prints for it.
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';

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

/** Below it on the PATH is what was there before. */
export const withTrainer = (...more) =>
  [...more, join(root, 'test/fixtures/jobs'), process.env.PATH].join(delimiter);

/** The status bar's item. */
export const JOBS = 'gpu-headroom.gpu-headroom.headroom.jobs';

/** Records of a state folder, the oldest first. */
export function recordsIn(state) {
  const jobs = join(state, 'jobs');
  const ids = readdirSync(jobs).filter(id => /^\d/.test(id));
  return ids.sort().map(id => JSON.parse(readFileSync(join(jobs, id, 'job.json'), 'utf8')));
}

/** The one screen before a start, as text. */
export async function startScreen(vs) {
  const box = vs.page.locator('.monaco-dialog-box');
  await box.waitFor();
  return box.innerText();
}

export const noJobs = vs => vs.until('no job in the status bar', async () => !(await vs.hasStatus(JOBS)));
