// Runs the suites that need Headroom's scripts in a real Python with torch: HEADROOM_TEST_PYTHON names one (`none`:
// skip); otherwise one is created once in the user's cache, from the package index. If neither is possible, the
// suite is skipped by name.
import { createHash } from 'node:crypto';
import { runMocha } from './lib/mocha.mjs';
import { pythonWith, pythonWithTorch } from './lib/pythons.mjs';
import { endWith } from './lib/suite.mjs';

/** The releases of the simulated records. */
const PACKAGES = ['torch==2.15.0', 'transformers==5.23.0', 'peft==0.21.2'];
const MINUTE = 60_000;
const NAME = `test-python-${PACKAGES.join('-').replaceAll('==', '-')}`;

/** Environments that add packages to that one: one is compared with the embedding worker, the others read data and load quantized weights. */
const ADDED = {
  HEADROOM_TEST_EMBED_PYTHON: ['sentence-transformers==6.2.0'],
  HEADROOM_TEST_DATA_PYTHON: ['datasets==5.2.0', 'diffusers==0.42.1', 'tiktoken==0.14.0', 'trl==1.16.0'],
  HEADROOM_TEST_QUANTIZED_PYTHON: [
    'hqq==0.2.8.post1',
    'accelerate==1.15.0',
    'torchao==0.18.0',
    'bitsandbytes==0.50.2',
  ],
};

await endWith(async () => {
  const base = pythonWithTorch('HEADROOM_TEST_PYTHON', NAME, PACKAGES);
  const isNamed = Boolean(process.env.HEADROOM_TEST_PYTHON);
  process.env.HEADROOM_TEST_PYTHON = base;
  // What is added to another Python than the cached one sees that one's torch.
  const digest = createHash('sha256').update(base).digest('hex').slice(0, 8);
  const named = isNamed ? `test-python-of-${digest}` : NAME;
  for (const [variable, packages] of Object.entries(ADDED)) {
    const python = pythonWith(base, variable, `${named}-${packages[0].replace('==', '-')}`, packages);
    if (python) process.env[variable] = python;
  }
  return runMocha('profile', ['profile'], { timeoutMs: 5 * MINUTE, args: process.argv.slice(2) });
});
