import { readFileSync } from 'node:fs';
import { RingHistory } from '../../../src/gpu/history';
import { nvidiaSmi } from '../../../src/gpu/tools/nvidiaSmi';

const SECONDS = 4000;

/** MiB that an hour of so many GPUs takes once the history is full, with all that nvidia-smi reads of each. */
export function historyMiB(gpus: number, recording: string, usedMiB: () => number): number {
  const text = readFileSync(recording, 'utf8');
  const output = { stdout: text, stderr: '', exitCode: 0 };
  const [sample] = nvidiaSmi.read(nvidiaSmi.query([]), output, 0).samples;
  if (!sample) throw new Error(`${recording} has no sample.`);
  const before = usedMiB();
  const history = new RingHistory();
  for (let second = 1; second <= SECONDS; second++) {
    for (let gpu = 0; gpu < gpus; gpu++) {
      history.add('host', [{ ...sample, key: String(gpu), receivedMs: second * 1000 }]);
    }
  }
  const after = usedMiB();
  // What is asked for afterwards cannot have been thrown away before.
  if (history.devices().length !== gpus) throw new Error('The history lost a GPU.');
  return after - before;
}
