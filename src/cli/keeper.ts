import { dirname } from 'node:path';
import type { Measurement } from '../core/learn/measurement';
import { keep } from '../jobs/keeper/keep';
import { keepMeasured } from './jobs/keepMeasured';
import { reasonOf } from '../core/text/errors';

/** `node keeper.js FOLDER`: looks after one job. Started by whoever starts the job, and by nobody else. */
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

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

keep(process.argv[2] ?? '', openGpus, keepMeasurement)
  .catch((error: unknown) => {
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exitCode = 1;
  })
  // A tool that hangs must not keep it.
  .finally(() => setTimeout(() => process.exit(), 1000).unref());
