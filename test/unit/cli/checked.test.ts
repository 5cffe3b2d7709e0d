import assert from 'node:assert/strict';
import { checkSome } from '../../../src/cli/checked';
import type { CheckTask, Printed } from '../../../src/cli/checked';
import { analyze } from '../../../src/core/analyse/analyse';
import { NEVER } from '../../../src/core/signal';
import { axolotl } from '../core/support';
import { worldOf } from '../dialects/support';

const FILES = ['a.yaml', 'bad.yaml', 'c.yaml'];

const texts = Object.fromEntries(FILES.map(file => [file, axolotl()]));

/** A session in which one file triggers a bug in Headroom itself. */
const broken: Parameters<typeof checkSome>[0] = {
  read: path => Promise.resolve({ text: texts[path] ?? '' }),
  analyze: (path, text, target) =>
    path === 'bad.yaml'
      ? Promise.reject(new TypeError('rule2 is no\nfunction'))
      : analyze(path, text, worldOf(texts), { target, severities: {} }, NEVER),
};

const checked = (format: Printed['format'], named = false) => {
  const task: CheckTask = { target: null, format, colored: false, ranOut: [] };
  return checkSome(
    broken,
    FILES.map(path => ({ path, named })),
    task,
  );
};

describe('checking several files', () => {
  for (const format of ['text', 'json', 'sarif'] as const) {
    it(`goes on where Headroom itself fails on one, and says so at that file in ${format}`, async () => {
      const all = await checked(format);
      assert.deepEqual(
        all.map(({ file, dialect }) => [file, dialect]),
        [
          ['a.yaml', 'axolotl'],
          ['bad.yaml', null],
          ['c.yaml', 'axolotl'],
        ],
      );
      const [, bad] = all;
      const said = JSON.stringify(bad?.printed);
      assert.match(said, /internal-error/);
      assert.match(said, /Report Issue/);
      assert.match(said, /rule2 is no function/);
      assert.match(said, /bad\.yaml/);
      assert.equal(bad?.bad.length, 1, 'a build must not pass by accident');
      assert.match(bad.bad[0] ?? '', /^bad\.yaml:1:1: Headroom failed on this file\. /);
      assert.doesNotMatch(said, /checked\.test/);
    });
  }

  it('shows where it happened with HEADROOM_DEBUG=1', async () => {
    process.env['HEADROOM_DEBUG'] = '1';
    try {
      const [, bad] = await checked('json', true);
      assert.match(JSON.stringify(bad?.printed), /checked\.test/);
    } finally {
      delete process.env['HEADROOM_DEBUG'];
    }
  });
});
