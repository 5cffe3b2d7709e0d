import assert from 'node:assert/strict';
import { analyse } from '../../src/core/analyse/analyse';
import { lensTexts } from '../../src/core/render/lens';
import { Catalogs } from '../../src/world/catalogs';
import { Models } from '../../src/world/models';
import { NodeFiles } from '../../src/world/nodeFiles';
import { target } from '../unit/core/support';
import { explainText } from '../../src/core/render/text';
import { plainPaint } from '../../src/core/text/terminal';
import { someOf } from '../tries';
import { faultsOf, slipsOf } from '../unit/brief';
import { CONFIGS, configs, textOf } from './configs';

/** An old card, on which much does not run, and a large one. */
const TARGETS = [target('V100 16GB'), target('A100 80GB', 8)];

const files = new NodeFiles(CONFIGS);
// No cache of the user's: the same models on every machine.
const environment = { variables: {}, home: '/nonexistent', workingFolder: CONFIGS };
const models = new Models(files, new Catalogs('src/core/data'), environment);

/** A lens has an icon in front, and names of runs that are the user's own. */
const shortTitle = (title: string, name: string): string =>
  title
    .replace(/^\$\(\w+\)\s*/, '')
    .replace(/^.* … .*(?= ≈)/, 'first … last')
    .replace(name, 'run');

describe('golden: messages about real configs', () => {
  for (const [i, config] of configs.entries()) {
    it(config, async () => {
      const said = new Set<string>();
      const slips: string[] = [];
      // Quickly: on one card the first config, on the other the next.
      for (const one of someOf(i % 2 === 0 ? TARGETS : TARGETS.toReversed(), 2)) {
        const options = { target: one, severities: {} };
        const { runs, findings } = await analyse(config, textOf(config), { files, models }, options, {
          aborted: false,
        });
        for (const { message } of [findings, ...runs.map(run => run.findings)].flat()) said.add(message);
        for (const run of runs) slips.push(...slipsOf(explainText(run, config, plainPaint).raw));
        for (const { title, run } of lensTexts(runs)) said.add(shortTitle(title, run.run.name));
      }
      assert.deepEqual([...said].flatMap(faultsOf), []);
      assert.deepEqual(slips, []);
    });
  }
});
