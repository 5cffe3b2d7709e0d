import Mocha from 'mocha';
import { readdirSync } from 'node:fs';
import { findSourceMap } from 'node:module';
import { join, resolve } from 'node:path';

/** VS Code overrides Error.prepareStackTrace, which disables Node's own source mapping. */
function mapped(stack: string): string {
  return stack.replace(/([^\s()]+\.js):(\d+):(\d+)/g, (frame, file: string, line: string, column: string) => {
    const map = findSourceMap(resolve(file));
    const entry = map?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return frame;
    const source = entry.originalSource.replace(/^file:\/\//, '');
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

/**
 * Runs every suite in this folder inside VS Code. Both the desktop and the server host call it and wait for it.
 * Environment: HEADROOM_RESULTS and HEADROOM_REPORT, the JSON and the text to write; HEADROOM_GREP, a pattern for
 * titles; HEADROOM_ONLY, the suites to run, a JSON list of files.
 */
export async function run(): Promise<void> {
  process.setSourceMapsEnabled(true);
  const { HEADROOM_RESULTS: output, HEADROOM_REPORT: text, HEADROOM_GREP: grep, HEADROOM_ONLY } = process.env;
  const only = JSON.parse(HEADROOM_ONLY ?? '[]') as readonly string[];
  const mocha = new Mocha({
    ui: 'bdd',
    color: false,
    timeout: 20_000,
    reporter: join(__dirname, '../../../scripts/lib/reporter.mjs'),
    reporterOptions: { output, text },
    ...(grep ? { grep } : {}),
  });
  const names = readdirSync(__dirname, { recursive: true, encoding: 'utf8' });
  const suites = names.filter(name => name.endsWith('.test.js')).map(name => join(__dirname, name));
  for (const file of suites.sort()) if (only.length === 0 || only.includes(file)) mocha.addFile(file);
  const failures = await new Promise<number>(done => {
    mocha.run(done).on('fail', (_test, error: Error) => {
      error.stack = mapped(error.stack ?? '');
    });
  });
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
