// Runs the suites that need a service (sshd and others): each starts its own, on its own ports, and ends it. A
// suite whose service is unavailable is skipped by name.
import { runMocha } from './lib/mocha.mjs';

process.exitCode = await runMocha('services', ['services'], {
  timeoutMs: 60_000,
  args: process.argv.slice(2),
});
