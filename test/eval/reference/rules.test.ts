import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { CatalogData } from '../../../src/core/data/rows';
import { readConfig } from '../../../src/core/reading/read';
import { ModelCatalog, modelFromCatalog } from '../../../src/core/models/catalog';
import type { World } from '../../../src/core/analyse/world';
import { checkRules, ruleContext } from '../../../src/core/rules/check';
import type { LocatedReport } from '../../../src/core/rules/check';
import { NodeFiles } from '../../../src/world/nodeFiles';
import { assertSentence } from '../../unit/rules/cases';
import { rtx4090 } from '../../unit/rules/facts';

const corpus = `${process.env['HEADROOM_SHARED'] ?? '../shared'}/corpus`;
const parts = ['llm', 'general'] as const;

/** Every finding in the corpus; a person has read each, found it true, and noted why. */
const reviewed = readFileSync('test/unit/rules/reviewed.txt', 'utf8');

const models = new ModelCatalog(JSON.parse(readFileSync('src/core/data/models.json', 'utf8')) as CatalogData);
const world: World = {
  files: new NodeFiles(corpus),
  models: {
    find: name => Promise.resolve({ model: modelFromCatalog(models, name), why: null, dependencies: [] }),
  },
};

async function findingsIn(file: string): Promise<readonly LocatedReport[]> {
  const text = readFileSync(`${corpus}/${file}`, 'utf8');
  const reading = await readConfig(file, text, world, { aborted: false });
  return reading.runs.flatMap(run => {
    const model =
      run.quantities.model.value === null ? null : modelFromCatalog(models, run.quantities.model.value);
    const context = ruleContext({ run, model, target: rtx4090, estimate: null, missing: [] });
    return checkRules(context, { severities: {} });
  });
}

function corpusFiles(): readonly string[] {
  return parts.flatMap(part =>
    readFileSync(`${corpus}/${part}/INDEX.jsonl`, 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => `${part}/${(JSON.parse(line) as { file: string }).file}`),
  );
}

describe('rules over the corpus', function () {
  this.timeout(60_000);
  const all = new Map<string, readonly LocatedReport[]>();

  before(async function () {
    if (!existsSync(corpus)) this.skip();
    for (const file of corpusFiles()) all.set(file, await findingsIn(file));
  });

  it('report only what a person has confirmed', () => {
    // Which models are known depends on the catalog.
    const loud = [...all.values()].flatMap(findings =>
      findings
        .filter(({ rule }) => rule !== 'unknown-model')
        .map(({ file, rule, line }) => `${file}:${line} ${rule}`),
    );
    const known = reviewed.split('\n').filter(line => line !== '' && !line.startsWith('#'));
    const found = new Set(loud);
    assert.deepEqual(
      { unread: [...found].filter(one => !known.includes(one)), gone: known.filter(one => !found.has(one)) },
      { unread: [], gone: [] },
    );
  });

  it('report in full sentences, at a place in the file', () => {
    for (const [file, findings] of all) {
      for (const { report, line, column, span, file: at } of findings) {
        assertSentence(report.message);
        assert.ok(line >= 1 && column >= 1 && span.end >= span.start, file);
        assert.notEqual(at, '');
      }
    }
  });
});
