import assert from 'node:assert/strict';
import { readConfig } from '../../../src/core/dialects/read';
import type { World } from '../../../src/core/analyse/world';
import { checkCase } from './cases';
import type { Case } from './cases';

const config = (cpu: number, handed: number, gpu: number): string => `import:
  batch_size: ${cpu}
  embedding_batch_size: ${handed}
embeddings:
  device: "cuda:0"
  batch_size: ${gpu}
`;

const cases: readonly Case[] = [
  {
    rule: 'embedding-batches-differ',
    at: 'import.embedding_batch_size',
    fires: config(96, 48, 32),
    silent: config(96, 32, 32),
    says: /embedded 32 at a time, but 48 are passed/,
  },
  {
    rule: 'embedding-partial-batches',
    at: 'import.batch_size',
    fires: config(100, 32, 32),
    silent: config(96, 32, 32),
    says: /each 4 passes embeds 4. Use 96/,
  },
];

const world: World = {
  files: { read: () => Promise.resolve({ absence: 'missing' as const }), list: () => Promise.resolve([]) },
  models: { find: () => Promise.resolve({ model: null, why: null, dependencies: [] }) },
};

describe('embedding guide', () => {
  for (const one of cases) checkCase(one);

  it('does not guess what weights are loaded in, and takes what is said', async () => {
    const dtypeIn = async (more: string): Promise<string | null | undefined> => {
      const { runs } = await readConfig('/project/import.yaml', config(96, 32, 32) + more, world, {
        aborted: false,
      });
      return runs[0]?.quantities.loadDtype.value;
    };
    assert.equal(await dtypeIn(''), null);
    assert.equal(await dtypeIn('  dtype: bfloat16\n'), 'bf16');
  });

  it('says which device strings are implemented', async () => {
    const text = config(96, 32, 32).replace('cuda:0', 'cuda:0,1,2,3');
    const { dialect, notes } = await readConfig('/project/import.yaml', text, world, { aborted: false });
    assert.equal(dialect, 'guide-embedding');
    assert.match(notes.map(({ message }) => message).join(), /device strings that are implemented/);
  });
});
