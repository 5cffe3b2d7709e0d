// npm run --silent headroom -- ARGS: runs the CLI from its bundle, and builds that if it is missing.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './lib/root.mjs';

const cli = join(root, 'dist/cli.js');
if (!existsSync(cli)) {
  const { build } = await import('./lib/build.mjs');
  await build();
}
createRequire(import.meta.url)(cli);
