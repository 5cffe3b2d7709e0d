// The suites that need a service (sshd and others): each starts its own on ports of its own and ends it. One that cannot
// be had here is skipped by name.
import { runMocha } from './lib/mocha.mjs';

process.exitCode = await runMocha('services', ['services'], {
  timeoutMs: 60_000,
  args: process.argv.slice(2),
});
