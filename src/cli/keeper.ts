import { keep } from '../jobs/keeper/keep';

/** `node keeper.js FOLDER`: looks after one job. Started by whoever starts the job, and by nobody else. */
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

keep(process.argv[2] ?? '').catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
