// Hosts behind a real sshd on this machine, whose nvidia-smi replays recordings: what the services suite starts, for windows.
import * as esbuild from 'esbuild';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';

const require = createRequire(import.meta.url);

/** `SshBench`, `whyNoSshd` and recordings of test/services/ssh/sshd.ts. */
export async function loadSshd() {
  const outfile = join(root, 'out/ui-harness/sshd.cjs');
  await esbuild.build({
    entryPoints: [join(root, 'test/services/ssh/sshd.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  return require(outfile);
}
