import assert from 'node:assert/strict';
import { analyze } from '../../src/core/analyse/analyse';
import { lensTexts } from '../../src/core/render/lens';
import { Catalogs } from '../../src/world/catalogs';
import { Models } from '../../src/world/models';
import { NodeFiles } from '../../src/world/nodeFiles';
import { target } from '../unit/core/support';
import { explainText } from '../../src/core/render/text';
import { plainPaint } from '../../src/core/text/terminal';
import { someOf } from '../tries';
import { checkSums } from '../unit/memory/sums';
import { faultsOf, slipsOf } from '../unit/brief';
import { CONFIGS, configs, textOf } from './configs';

/** An old card that lacks many features, and a large one. */
const TARGETS = [target('V100 16GB'), target('A100 80GB', 8)];

const files = new NodeFiles(CONFIGS);
// No user cache, so that every machine knows the same models.
const environment = { variables: {}, home: '/nonexistent', workingFolder: CONFIGS };
const models = new Models(files, new Catalogs('src/core/data'), environment);

/** A lens starts with an icon and contains the user's own names of runs. */
const shortTitle = (title: string, name: string): string =>
  title
    .replace(/^\$\(\w+\)\s*/, '')
    .replace(/^.* … .*(?= ≈)/, 'first … last')
    .replace(name, 'run');

describe('golden: messages about real configs', () => {
  const answered = new Set<string>();

  for (const [i, config] of configs.entries()) {
    it(config, async () => {
      const said = new Set<string>();
      const slips: string[] = [];
      // In quick runs, each config is tested on one card only, alternating between the two.
      for (const one of someOf(i % 2 === 0 ? TARGETS : TARGETS.toReversed(), 2)) {
        const options = { target: one, severities: {} };
        const { runs, findings } = await analyze(config, textOf(config), { files, models }, options, {
          aborted: false,
        });
        for (const { message } of [findings, ...runs.map(run => run.findings)].flat()) said.add(message);
        for (const { run, estimate } of runs) {
          if (!estimate) continue;
          checkSums(`${config} ${run.name}`, estimate);
          answered.add(config);
        }
        for (const run of runs) slips.push(...slipsOf(explainText(run, config, plainPaint).raw));
        for (const { title, run } of lensTexts(runs)) said.add(shortTitle(title, run.run.name));
      }
      assert.deepEqual([...said].flatMap(faultsOf), []);
      assert.deepEqual(slips, []);
    });
  }

  after('many configs have estimates whose sums were checked', function enough() {
    const isWhole = this.test?.parent?.tests.every(({ state }) => state === 'passed');
    if (isWhole) assert.ok(answered.size >= 100, `${answered.size} of ${configs.length}`);
  });
});
