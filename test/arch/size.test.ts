import assert from 'node:assert/strict';
import type { Source } from './sources';
import { functionsOf, quantile, sources } from './sources';

/** What ships, and the tools around it: the same bars for both. */
const groups: Readonly<Record<string, readonly Source[]>> = {
  'src and webview': sources('src', 'webview').filter(file => !file.path.endsWith('registry.ts')),
  'scripts and test tools': sources('scripts', 'test/host', 'test/ui').filter(
    file => file.path.endsWith('.mjs') && !file.path.endsWith('.ui.mjs'),
  ),
};

for (const [name, files] of Object.entries(groups)) {
  describe(`sizes in ${name}`, () => {
    const functions = files.flatMap(file => functionsOf(file).map(each => ({ ...each, path: file.path })));

    it('files have at most 400 lines', () => {
      const long = files.filter(file => file.lines > 400).map(file => `${file.path}: ${file.lines} lines`);
      assert.deepEqual(long, []);
    });

    it('half of the files have at most 90 lines', () => {
      const median = quantile(
        files.map(file => file.lines),
        0.5,
      );
      assert.ok(median <= 90, `the median is ${median} lines`);
    });

    it('functions have at most 60 lines', () => {
      const long = functions.filter(each => each.lines > 60);
      assert.deepEqual(
        long.map(each => `${each.path}:${each.line} ${each.name}: ${each.lines} lines`),
        [],
      );
    });

    it('nine functions of ten have at most 25 lines', () => {
      const longest = [...functions].sort((one, other) => other.lines - one.lines).slice(0, 5);
      const p90 = quantile(
        functions.map(each => each.lines),
        0.9,
      );
      const names = longest.map(each => `${each.path}:${each.line} ${each.name} (${each.lines})`).join(', ');
      assert.ok(p90 <= 25, `p90 is ${p90} lines; the longest: ${names}`);
    });
  });
}
