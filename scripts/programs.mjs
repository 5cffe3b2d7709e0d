// Runs unmodified training programs of public repositories dry (test/programs/index.tsv). HEADROOM_TEST_REPOSITORIES
// names a folder of checkouts or bare repositories, `owner/name` or `owner+name`; otherwise git clones them, but not
// on CI. Their environments are created once in the user's cache; HEADROOM_TEST_PROGRAMS_<NAME> names one. What
// cannot be had is skipped by name.
import { readFileSync } from 'node:fs';
import { runMocha } from './lib/mocha.mjs';
import { pythonWithTorch } from './lib/pythons.mjs';
import { CannotRunHere, endWith } from './lib/suite.mjs';

const MINUTE = 60_000;
const environments = JSON.parse(readFileSync('test/programs/environments.json', 'utf8'));

await endWith(async () => {
  if (process.env.CI && !process.env.HEADROOM_TEST_REPOSITORIES) {
    throw new CannotRunHere('CI has no repositories: HEADROOM_TEST_REPOSITORIES names a folder of them');
  }
  for (const [name, packages] of Object.entries(environments)) {
    const variable = `HEADROOM_TEST_PROGRAMS_${name}`;
    try {
      process.env[variable] = pythonWithTorch(variable, `test-programs-${name}`, packages);
    } catch (error) {
      if (!(error instanceof CannotRunHere)) throw error;
      process.env[variable] = '';
      console.log(`${name}: ${error.message}`);
    }
  }
  return runMocha('programs', ['programs'], { timeoutMs: 15 * MINUTE, args: process.argv.slice(2) });
});
