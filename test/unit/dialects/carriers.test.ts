import assert from 'node:assert/strict';
import fc from 'fast-check';
import { carriedCommands } from '../../../src/core/dialects/envelopes/carriers';
import { read } from './support';

const FENCE = '```';
const README = `# A server

> Not \`vllm serve org/quoted\`.

1. Start it:

   ${FENCE}bash
   $ vllm serve org/m \\
       --max-model-len 4096
   ${FENCE}

${FENCE}python
vllm serve org/python --max-model-len 1
${FENCE}
`;

const MAKEFILE = `MODEL ?= org/m
LENGTH := 2048 # tokens
ARGS = --max-model-len $(LENGTH)

.PHONY: serve
serve: venv
\t@CUDA_VISIBLE_DEVICES=0 vllm serve $(MODEL) \\
\t  $(ARGS) \\
\t  --port $$PORT
`;

const JUSTFILE = `length := "1024"

serve model="org/m" port='80': setup
    @vllm serve {{model}} --max-model-len {{ length }} --port {{port}}
`;

const WORKFLOW = `on: push
jobs:
  a:
    steps:
      - uses: actions/checkout@v4
      - run: |
          pip install vllm
          vllm serve org/m --max-model-len 512
      - { name: b, run: vllm serve org/n --max-model-len 256 }
`;

const TASKS = `{ "tasks": [
  { "label": "a", "type": "process", "command": "vllm", "args": ["serve", "org/m", "--max-model-len", "128"] },
  { "label": "b", "type": "shell", "command": "vllm serve org/n --max-model-len 64" } ] }`;

const LAUNCH = `{ "configurations": [
  { "module": "vllm.entrypoints.openai.api_server", "args": ["--model", "org/m", "--max-model-len", "32"] } ] }`;

describe('commands among other text', () => {
  const cases: [path: string, text: string, runs: [model: string, tokens: number][]][] = [
    ['README.md', README, [['org/m', 4096]]],
    ['deploy/Makefile', MAKEFILE, [['org/m', 2048]]],
    ['justfile', JUSTFILE, [['org/m', 1024]]],
    [
      '.github/workflows/a.yml',
      WORKFLOW,
      [
        ['org/m', 512],
        ['org/n', 256],
      ],
    ],
    [
      '.vscode/tasks.json',
      TASKS,
      [
        ['org/m', 128],
        ['org/n', 64],
      ],
    ],
    ['.vscode/launch.json', LAUNCH, [['org/m', 32]]],
  ];
  for (const [path, text, expected] of cases) {
    it(`are read in ${path}, with their places`, async () => {
      const { runs } = await read({ [path]: text });
      assert.deepEqual(
        runs.map(({ quantities }) => [quantities.model.value, quantities.seqLen.value]),
        expected,
      );
      for (const { quantities } of runs) {
        const { origin, value } = quantities.seqLen;
        assert.equal(origin.kind, 'file');
        const { start, end } = origin.at.valueSpan;
        assert.match(text.slice(start, end), new RegExp(`${value}|LENGTH|length`));
      }
    });
  }

  it('start nothing where prose only names them', async () => {
    const { runs, dialect } = await read({ 'README.md': 'Use `vllm serve org/m --max-model-len 5`.\n' });
    assert.deepEqual([runs.length, dialect], [0, null]);
  });

  it('are looked for in any text, in bounded time', () => {
    const paths = cases.map(([path]) => path);
    const parts = fc.constantFrom(
      FENCE,
      '\n',
      '\t',
      '$(A)',
      '{{a}}',
      'a:',
      ' = ',
      '"',
      '\\',
      'run: |',
      'vllm serve x ',
    );
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.array(parts, { maxLength: 60 }), (path, all) => {
        const found = carriedCommands(path, all.join(''));
        assert.ok(found);
        const length = all.join('').length + 1;
        assert.ok(found.always.flat().every(({ span }) => span.start >= 0 && span.end <= length));
      }),
    );
  });
});
