import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { openFile, problemsOf } from './ask';

const KEYS = [
  'base_model: NousResearch/Meta-Llama-3-8B',
  'sequence_len: 4096',
  'adapter: lora',
  'lora_r: 32',
  'lora_alpha: 16',
  'lora_target_linear: true',
  'gradient_accumulation_steps: 4',
  '',
].join('\n');

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'] as const;
const bomb = NAMES.map(
  (name, i) =>
    `${name}: &${name} [${Array(9)
      .fill(i === 0 ? 'x' : `*${NAMES[i - 1] ?? ''}`)
      .join(', ')}]\n`,
).join('');

/** Input that a user may open, the rule that reports it, and its message. */
const CASES: readonly (readonly [title: string, text: string, rule: string, says: RegExp])[] = [
  [
    'broken YAML',
    `${KEYS}micro_batch_size: 8\noops: [1,\n`,
    'yaml-syntax',
    /must be sufficiently indented and end with a \]/,
  ],
  ['tabs', `${KEYS}micro_batch_size: 8\ndatasets:\n\t- path: x\n`, 'yaml-syntax', /Tabs .*; use spaces/],
  [
    'deep nesting',
    `${KEYS}x: ${'['.repeat(100)}${']'.repeat(100)}\n`,
    'file-too-deep',
    /more than 64 levels of nesting/,
  ],
  [
    '5 MB',
    `${KEYS}x: "${'y'.repeat(5 * 1024 * 1024)}"\n`,
    'file-too-large',
    /Headroom reads configs up to 4 MB/,
  ],
  [
    'an alias bomb for a batch',
    `${bomb}${KEYS}micro_batch_size: *i\n`,
    'file-too-large',
    /Aliases make more than 100000 values/,
  ],
  [
    'a batch of NaN',
    `${KEYS}micro_batch_size: .nan\n`,
    'unreadable-value',
    /\.nan is not a positive whole number/,
  ],
  [
    'a negative batch',
    `${KEYS}micro_batch_size: -4\n`,
    'unreadable-value',
    /-4 is not a positive whole number/,
  ],
  [
    'a file that is gone',
    `${KEYS}micro_batch_size: 8\ndeepspeed: gone.json\n`,
    'missing-file',
    /put the file there/,
  ],
  ['a key twice', `${KEYS}micro_batch_size: 8\nmicro_batch_size: 4\n`, 'yaml-duplicate-key', /./],
];

describe('bad input', () => {
  for (const [i, [title, text, rule, says]] of CASES.entries()) {
    it(`${title}: a finding with a page, and nothing changed`, async () => {
      const document = await openFile(`bad/${i}.yml`, text);
      const problems = await problemsOf(document.uri);
      const problem = problems.find(({ code }) => typeof code === 'object' && code.value === rule);
      assert.ok(problem, problems.map(({ message }) => message).join());
      assert.match(problem.message, says);
      const extension = vscode.extensions.getExtension('gpu-headroom.gpu-headroom');
      assert.ok(extension);
      await vscode.workspace.fs.stat(vscode.Uri.joinPath(extension.extensionUri, 'docs/rules', `${rule}.md`));
      assert.equal(document.getText(), text);
      assert.equal(document.isDirty, false);
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    });
  }
});
