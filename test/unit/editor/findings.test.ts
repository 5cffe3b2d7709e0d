import assert from 'node:assert/strict';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import type { Finding } from '../../../src/core/rules/rule';
import { findingsByFile, findingsOf } from '../../../src/editor/findings';
import { analyzed } from './runs';

const CONFIG = 'base_model: org/model\nadapter: qlora\nmicro_batch_size: 1\nsequence_len: 512\n';

const finding = (file: string, start: number, message: string): Finding => ({
  rule: 'some-rule',
  severity: 'warning',
  file,
  span: { start, end: start + 1 },
  line: 1,
  column: start + 1,
  path: 'key',
  message,
  fixable: false,
  remedies: [],
});

describe('findings', () => {
  let run: RunAnalysis;

  before(async () => {
    const { analysis } = await analyzed('/ws/a.yml', { '/ws/a.yml': CONFIG });
    const [first] = analysis.runs;
    assert.ok(first);
    run = first;
  });

  const of = (...findings: (readonly Finding[])[]) => ({
    analysis: {
      file: '/ws/a.yml',
      dialect: 'axolotl',
      runs: findings.map(own => ({ ...run, findings: own })),
      findings: [],
      dependencies: [],
    },
    anchors: [],
    texts: {},
  });

  it('that several runs share are reported once', () => {
    const shared = finding('/ws/a.yml', 3, 'the same');
    const found = findingsOf(of([shared], [shared, finding('/ws/a.yml', 3, 'another')]));
    assert.deepEqual(
      found.map(one => one.finding.message),
      ['the same', 'another'],
    );
  });

  it('are grouped by file', () => {
    const byFile = findingsByFile(of([finding('/ws/a.yml', 1, 'here'), finding('/ws/b.json', 1, 'there')]));
    assert.deepEqual([...byFile.keys()], ['/ws/a.yml', '/ws/b.json']);
    const { analysis, ...others } = of([]);
    const nearby = [finding('/ws/.headroom/dialects/c.yaml', 1, 'broken')];
    const near = findingsByFile({ ...others, analysis: { ...analysis, nearby } });
    assert.deepEqual([...near.keys()], ['/ws/.headroom/dialects/c.yaml']);
  });
});
