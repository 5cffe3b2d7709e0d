// npm run --silent headroom -- ARGS: the command line from its bundle, which is built when it is not there.
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
