import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { World } from '../../src/core/analyse/world';
import { readConfig } from '../../src/core/reading/read';
import type { Reading } from '../../src/core/reading/read';
import { NodeFiles } from '../../src/world/nodeFiles';

/** Configs of other projects and our own; NOTICE.md in the folder lists their sources. */
export const CONFIGS = 'test/fixtures/configs';

/** Paths of all configs below CONFIGS. */
export const configs: readonly string[] = readdirSync(CONFIGS, { recursive: true, encoding: 'utf8' })
  .filter(name => /\.(?:ya?ml|json|toml|sh|sbatch)$/.test(name))
  .map(name => name.replaceAll('\\', '/'))
  .sort();

export const textOf = (config: string): string => readFileSync(join(CONFIGS, config), 'utf8');

/** The fixtures as a separate world: paths are below CONFIGS, and nothing above is visible. */
const world: World = {
  files: new NodeFiles(CONFIGS),
  models: { find: () => Promise.resolve({ model: null, why: null, dependencies: [] }) },
};

const readings = new Map<string, Promise<Reading>>();

/** The reading of a fixture. Several suites of a process share it. */
export function readFixture(config: string): Promise<Reading> {
  const before = readings.get(config);
  if (before) return before;
  const reading = readConfig(config, textOf(config), world, { aborted: false });
  readings.set(config, reading);
  return reading;
}

/** Folder of the golden files, from the project's root, where tests run. */
const FOLDER = 'test/golden';

const renew = process.env['RENEW'] === '1';

/**
 * Compares a text with a golden file below test/golden. `RENEW=1 npm run test:unit -- -g golden` rewrites them:
 * review the difference in the diff of the commit.
 */
export function golden(name: string, text: string): void {
  const file = join(FOLDER, name);
  if (renew) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  assert.ok(existsSync(file), `${file} is missing: RENEW=1 npm run test:unit -- -g golden writes it`);
  assert.equal(text, readFileSync(file, 'utf8'));
}
