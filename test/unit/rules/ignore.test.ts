import assert from 'node:assert/strict';
import fc from 'fast-check';
import { allRules } from '../../../src/core/rules/allRules';
import { ignoreEdit, ignoredIn } from '../../../src/core/rules/ignore';
import type { IgnoreScope } from '../../../src/core/rules/ignore';
import { sarifResults } from '../../../src/core/render/sarif';
import { applyEdits } from '../../../src/core/text/textEdit';
import { parseYaml } from '../../../src/core/yaml/parse';
import { axolotl, judge } from '../core/support';

const rulesOf = async (text: string, file = 'config.yaml'): Promise<readonly string[]> => {
  const analysis = await judge({ [file]: text });
  return sarifResults(analysis).map(({ ruleId }) => ruleId ?? '');
};

/** The line of a key, from 1. */
const lineOf = (text: string, key: string): number => text.slice(0, text.indexOf(key)).split('\n').length;

const ignoring = (text: string, rule: string, key: string, scope: IgnoreScope, path = 'config.yaml') => {
  const edit = ignoreEdit({ path, text }, { rule, line: lineOf(text, key) }, scope);
  return edit && applyEdits(text, [edit]);
};

const SCRIPT = `#!/bin/bash
#SBATCH --gres=gpu:1
accelerate launch train.py \\
  --per_device_train_batch_size 8 \\
  --model_name_or_path x
python train.py --batch_size 4
`;

describe('comments that ignore a rule', () => {
  const large = axolotl({ micro_batch_size: 64 });

  it('silence it on their line, alone above the line, or in the whole file', async () => {
    assert.ok((await rulesOf(large)).includes('does-not-fit'));
    const key = 'micro_batch_size: 64';
    for (const text of [
      large.replace(key, `${key} # headroom: ignore[does-not-fit]`),
      large.replace(key, `${key} # why not #headroom:ignore[ tight,does-not-fit ]`),
      large.replace(key, `# headroom: ignore[does-not-fit]\n# as it is tried on purpose\n${key}`),
      `# headroom: ignore-file[does-not-fit]\n${large}`,
      `${large}# headroom: ignore-file[does-not-fit]\n`,
    ]) {
      assert.ok(!(await rulesOf(text)).includes('does-not-fit'), text);
    }
  });

  it('leave other lines, other rules and the verdict as they are', async () => {
    const key = 'micro_batch_size: 64';
    for (const text of [
      large.replace('lora_r: 32', 'lora_r: 32 # headroom: ignore[does-not-fit]'),
      large.replace(key, `${key} # headroom: ignore[tight]`),
      large.replace(key, `${key}\n# headroom: ignore[does-not-fit]`),
    ]) {
      assert.ok((await rulesOf(text)).includes('does-not-fit'), text);
    }
    const { runs } = await judge({ 'config.yaml': `# headroom: ignore-file[does-not-fit]\n${large}` });
    assert.equal(runs[0]?.verdict, 'exceeds');
  });

  it('are told of when no rule has the name', async () => {
    const text = `${large}# headroom: ignore-file[does-not-fitt, tight]\n`;
    const { findings } = await judge({ 'config.yaml': text });
    assert.deepEqual(
      findings.map(({ rule, severity, message, span }) => [
        rule,
        severity,
        message,
        text.slice(span.start, span.end),
      ]),
      [
        [
          'unknown-ignored-rule',
          'hint',
          'No rule is called `does-not-fitt`. Did you mean `does-not-fit`?',
          'does-not-fitt',
        ],
      ],
    );
    assert.deepEqual(
      (await judge({ 'config.yaml': `${text}# headroom: ignore-file[unknown-ignored-rule]\n` })).findings
        .length,
      0,
    );
  });
});

describe('the edit that ignores a rule', () => {
  it('writes a comment behind the key, or at the top', () => {
    const text = 'a: 1 # one\nb: 2\n';
    assert.equal(ignoring(text, 'tight', 'a:', 'line'), 'a: 1 # one # headroom: ignore[tight]\nb: 2\n');
    assert.equal(ignoring(text, 'tight', 'b:', 'file'), `# headroom: ignore-file[tight]\n${text}`);
    assert.equal(
      ignoring('a: 1\r\nb: 2\r\n', 'tight', 'a:', 'line'),
      'a: 1 # headroom: ignore[tight]\r\nb: 2\r\n',
    );
  });

  it('adds to a comment that is there', () => {
    assert.equal(
      ignoring('a: 1 # headroom: ignore[tight]\n', 'under-used', 'a:', 'line'),
      'a: 1 # headroom: ignore[tight, under-used]\n',
    );
    assert.equal(
      ignoring('# headroom: ignore-file[tight]\na: 1\n', 'under-used', 'a:', 'file'),
      '# headroom: ignore-file[tight, under-used]\na: 1\n',
    );
  });

  it('is not there where a comment would be part of a value or end a command', () => {
    assert.equal(ignoring('{"a": 1}', 'tight', '"a"', 'line', 'a.json'), null);
    assert.equal(ignoring('{"a": 1}', 'tight', '"a"', 'file', 'untitled'), null);
    assert.equal(ignoring('a: |\n  b: 1\n', 'tight', 'b:', 'line'), null);
    assert.equal(ignoring('a: "b\n  c"\n', 'tight', 'b', 'line'), null);
    assert.equal(ignoring(SCRIPT, 'tight', 'accelerate', 'line', 'job.sh'), null);
    assert.equal(ignoring(SCRIPT, 'tight', '--model_name', 'line', 'job.sh'), null);
    assert.equal(ignoring(SCRIPT, 'tight', '#SBATCH', 'line', 'job.sh'), null);
  });

  it('keeps the first line of a script the first', () => {
    const [first, second] = ignoring(SCRIPT, 'tight', 'python', 'file', 'job.sh')?.split('\n') ?? [];
    assert.deepEqual([first, second], ['#!/bin/bash', '# headroom: ignore-file[tight]']);
    assert.match(
      ignoring(SCRIPT, 'tight', 'python', 'line', 'job.sh') ?? '',
      /--batch_size 4 # headroom: ignore\[tight\]\n$/,
    );
  });

  it('silences the rule it was made for, wherever it can stand', () => {
    const ids = allRules.map(({ id }) => id);
    const lines = fc.array(
      fc.constantFrom(
        'a: 1',
        'b: x # note',
        'c:',
        '  - d: 2',
        '',
        '# alone',
        'e: >-',
        '  folded',
        'f: {g: 1,',
        '  h: 2}',
      ),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(lines, fc.nat(), fc.constantFrom(...ids), fc.boolean(), (list, nth, rule, wide) => {
        const text = `${list.join('\n')}\n`;
        const line = (nth % list.length) + 1;
        const edit = ignoreEdit({ path: 'c.yaml', text }, { rule, line }, wide ? 'file' : 'line');
        if (!edit) return;
        const after = ignoredIn(parseYaml(applyEdits(text, [edit])));
        assert.deepEqual(
          after.map(one => [one.id, one.line]),
          [[rule, wide ? null : line]],
        );
      }),
    );
  });
});
