import assert from 'node:assert/strict';
import { readConfig } from '../../../src/core/reading/read';
import { editsFor } from '../../../src/core/dialects/write';
import { judge } from '../core/support';
import { applied } from '../dialects/support';
import type { World } from '../../../src/core/analyse/world';
import { checkCase } from './cases';
import type { Case } from './cases';
import { estimateOf, rtx4090 } from './facts';

const config = (cpu: number, handed: number, gpu: number): string => `import:
  batch_size: ${cpu}
  embedding_batch_size: ${handed}
embeddings:
  device: "cuda:0"
  batch_size: ${gpu}
`;

const jina = (model: string): string =>
  config(96, 48, 48).replace(
    'embeddings:',
    `embeddings:\n  model: jinaai/${model}\n  max_length: 8192\n  use_fp16: true`,
  );

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
    says: /every 4 passes embeds 4. Use 96/,
  },
  {
    rule: 'embedding-guide-formula',
    at: 'embeddings.batch_size',
    fires: jina('jina-embeddings-v4'),
    silent: jina('jina-embeddings-v3'),
    surroundings: { target: rtx4090, estimate: estimateOf('exceeds', 41) },
    says: /for 24 GB: 32–48 by its table, 30 by its formula\. Weights take 24\.6 GB, not its 4, and a text has up to 8192/,
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

  const named = (device = 'cuda'): string =>
    config(96, 32, 48)
      .replace(
        'embeddings:',
        `embeddings:\n  model: sentence-transformers/all-MiniLM-L6-v2\n  max_length: 512\n  use_fp16: true\n  normalize_embeddings: true`,
      )
      .replace('cuda:0', device);

  it('holds where the config names its model, too', async () => {
    const { runs, dialect } = await judge({ 'import.yaml': named() });
    assert.equal(dialect, 'embeddings');
    const found = runs.flatMap(({ findings }) => findings).map(({ rule }) => rule);
    assert.ok(found.includes('embedding-batches-differ'), found.join());
    const list = await judge({ 'import.yaml': named('cuda:0,1,2,3') });
    assert.match(
      list.findings.map(({ message }) => message).join(),
      /not a device that torch knows. Use one/,
    );
  });

  it('has a plan change what hands texts over, too, and keeps the import a multiple', async () => {
    for (const text of [config(96, 32, 32), named()]) {
      const { runs } = await readConfig('/project/import.yaml', text, world, { aborted: false });
      const [run] = runs;
      assert.ok(run);
      const written = editsFor(run, [{ quantity: 'microBatchSize', to: 40 }]);
      assert.ok(written.ok);
      const [after = ''] = Object.values(applied({ '/project/import.yaml': text }, written.edits));
      assert.match(after, /embedding_batch_size: 40\n/);
      assert.match(after, /^ {2}batch_size: 40$/m);
      assert.match(after, /^ {2}batch_size: 80$/m);
    }
  });

  it('says which device strings are implemented', async () => {
    const text = config(96, 32, 32).replace('cuda:0', 'cuda:0,1,2,3');
    const { dialect, notes } = await readConfig('/project/import.yaml', text, world, { aborted: false });
    assert.equal(dialect, 'guide-embedding');
    assert.match(notes.map(({ message }) => message).join(), /device strings that are implemented/);
  });
});
