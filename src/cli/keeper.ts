import { dirname } from 'node:path';
import type { Measurement } from '../core/learn/measurement';
import { keep } from '../jobs/keeper/keep';
import { keepMeasured } from './jobs/keepMeasured';
import { reasonOf } from '../core/text/errors';
import { visible } from '../core/text/visible';

/** `node keeper.js FOLDER`: looks after one job. The process that starts the job starts it, and nothing else does. */
for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined);
/** How it hears of a stop where no record can be written. */
const asked = new AbortController();
process.on('SIGTERM', () => asked.abort());
// Its log may lie on the disk that is full.
process.stderr.on('error', () => undefined);

/** Executables that the user has set for GPU tools, by tool. */
function executables(): Readonly<Record<string, string>> {
  try {
    return JSON.parse(process.env['HEADROOM_KEEPER_TOOLS'] ?? '{}') as Readonly<Record<string, string>>;
  } catch {
    return {};
  }
}

const openGpus = async () => (await import('../gpu/openFleet')).openSight(executables());

const keepMeasurement = (measurement: Measurement, file: string | null): Promise<void> =>
  keepMeasured(dirname(dirname(process.argv[2] ?? '')), measurement, file);

keep(process.argv[2] ?? '', openGpus, keepMeasurement, asked.signal)
  .catch((error: unknown) => {
    process.stderr.write(`${visible(reasonOf(error))}\n`);
    process.exitCode = 1;
  })
  // A tool that hangs must not keep it.
  .finally(() => setTimeout(() => process.exit(), 1000).unref());
