// Services for windows: what the services suite starts (test/services), bundled for a plain Node. Hosts behind a real sshd whose
// nvidia-smi replays recordings, a real Slurm, a real Ray.
import * as esbuild from 'esbuild';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';

const require = createRequire(import.meta.url);

async function load(path) {
  const outfile = join(root, 'out/ui-harness', path.replaceAll(/[./]*\//g, '-').replace('.ts', '.cjs'));
  await esbuild.build({
    entryPoints: [join(root, 'test/services', path)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  return require(outfile);
}

/** `SshBench`, `whyNoSshd` and recordings. */
export const loadSshd = () => load('ssh/sshd.ts');
/** `Slurm`, `whyNoSlurm`. */
export const loadSlurm = () => load('slurm/slurm.ts');
/** `Ray`, `whyNoRay`. */
export const loadRay = () => load('ray/ray.ts');
/** `fakeGpus`: an nvidia-smi that shows GPUs of one size, and who is on them. */
export const loadFakeGpus = () => load('../jobs/fakeGpus.ts');
