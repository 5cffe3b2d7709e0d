import { spawn } from 'node:child_process';
import type { SpawnOptions } from 'node:child_process';
import { pause } from '../processes';
import { signalTo } from '../../signals';

/**
 * The stand-in for a trainer: each of its runs leaves a line, and it writes to the folder that its config names.
 */
export const TRAINER = `#!/bin/sh
echo once >>"$HOME/ran-$HEADROOM_JOB"
mkdir -p out
echo weights >out/model.bin
echo "{'loss': 1.5, 'epoch': 0.5}"
sleep 0.3
`;

export const CONFIG = `base_model: NousResearch/Llama-3.2-1B
output_dir: ./out
micro_batch_size: 1
gradient_accumulation_steps: 1
sequence_len: 512
adapter: lora
lora_r: 8
datasets:
  - path: mhenrichsen/alpaca_2k_test
    type: alpaca
`;

interface Kills {
  readonly times: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly whole: boolean;
  /**
   * A count that grows once it is well under way: from then on, every second one is killed, within half of `toMs`.
   */
  readonly begun?: () => number;
}

/**
 * Starts a program repeatedly and kills it each time between two moments; returns how often that was before its
 * end.
 * `whole`: with all its child processes, like a power failure.
 */
export async function killed(
  argv: readonly string[],
  options: SpawnOptions,
  { times, fromMs, toMs, random, whole, begun }: Kills,
): Promise<number> {
  let count = 0;
  for (let time = 0; time < times; time++) {
    const before = begun?.();
    const child = spawn(process.execPath, argv, { ...options, stdio: 'ignore', detached: whole });
    const ended = new Promise<boolean>(done => child.once('exit', (_, by) => done(by === 'SIGKILL')));
    const isLate = begun !== undefined && time % 2 === 1;
    while (isLate && child.exitCode === null && begun() === before) await pause(5);
    await pause(isLate ? (random() * toMs) / 2 : fromMs + random() * (toMs - fromMs));
    if (child.exitCode === null && child.pid !== undefined) {
      signalTo(whole ? -child.pid : child.pid, 'SIGKILL');
    }
    if (await ended) count += 1;
  }
  return count;
}
