import { dirname } from 'node:path';
import type { Measurement } from '../core/learn/measurement';
import { keep } from '../jobs/keeper/keep';
import { keepMeasured } from './jobs/keepMeasured';
import { reasonOf } from '../core/text/errors';
import { visible } from '../core/text/visible';

/** `node keeper.js FOLDER`: the keeper of one job. Only the process that starts the job starts it. */
for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined);
/** SIGTERM requests a stop even if no record can be written. */
const stopRequest = new AbortController();
process.on('SIGTERM', () => stopRequest.abort());
// Its log may be on the full disk.
process.stderr.on('error', () => undefined);

/** Executables from the user's settings, by GPU tool. */
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

keep(process.argv[2] ?? '', openGpus, keepMeasurement, stopRequest.signal)
  .catch((error: unknown) => {
    process.stderr.write(`${visible(reasonOf(error))}\n`);
    process.exitCode = 1;
  })
  // A hanging tool must not keep this process alive.
  .finally(() => setTimeout(() => process.exit(), 1000).unref());
