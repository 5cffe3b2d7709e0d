import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of the golden files, from the project's root, where tests run. */
const FOLDER = 'test/golden';

const renew = process.env['RENEW'] === '1';

/**
 * Compares a text with a golden file below test/golden. `RENEW=1 npm run test:unit -- -g golden` writes them anew:
 * the difference is then read in the diff of the commit.
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
