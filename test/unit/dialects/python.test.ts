import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { notebookOf, SFT } from '../python/support';
import { applied, read, runOf } from './support';

const lineOf = (
  run: RunSpec,
  name: 'microBatchSize' | 'seqLen' | 'model' | 'quantization',
): number | null => {
  const { origin } = run.quantities[name];
  return origin.kind === 'file' ? origin.at.line : null;
};

describe('a program that trains with TRL', () => {
  it('is read from its calls, at their places', async () => {
    const run = await runOf(SFT, 'train.py');
    const { model, method, microBatchSize, gradAccum, seqLen, precision, lora, task, loadDtype } =
      run.quantities;
    assert.equal(run.dialect, 'hf-trl');
    assert.deepEqual(
      [model, method, microBatchSize, gradAccum, seqLen, precision, task, loadDtype].map(
        ({ value }) => value,
      ),
      ['Qwen/Qwen2.5-7B-Instruct', 'qlora', 4, 4, 2048, 'bf16', 'sft', 'bf16'],
    );
    assert.deepEqual([lora.value?.r, lora.value?.alpha, lora.value?.dropout], [16, 32, 0]);
    assert.deepEqual([lineOf(run, 'microBatchSize'), lineOf(run, 'model')], [14, 10]);
    assert.equal(lineOf(run, 'quantization'), 9);
  });

  it('is read from a notebook in the same way', async () => {
    const run = await runOf(notebookOf(SFT.split(/(?=args = )/)), 'train.ipynb');
    assert.deepEqual([run.quantities.microBatchSize.value, run.quantities.method.value], [4, 'qlora']);
  });

  const traps: [title: string, from: string | RegExp, to: string, method: string | null][] = [
    ['a quantization config that is not passed', ' quantization_config=bnb,', '', 'lora'],
    ['adapters that are not passed', ', peft_config=peft_config', '', 'full'],
    ['adapters that are unknown', 'peft_config=peft_config', 'peft_config=given', null],
  ];
  for (const [title, from, to, method] of traps) {
    it(`does not count ${title}`, async () => {
      assert.equal((await runOf(SFT.replace(from, to), 'train.py')).quantities.method.value, method);
    });
  }

  it('loads weights as transformers does where no dtype is passed', async () => {
    const run = await runOf(SFT.replace(', dtype=torch.bfloat16', ''), 'train.py');
    assert.equal(run.quantities.loadDtype.value, null);
    assert.equal(run.details.checkpointDtype?.value, true);
  });

  it('has no batch where the arguments come from elsewhere', async () => {
    const run = await runOf(SFT.replace('args=args', 'args=parsed()'), 'train.py');
    assert.equal(run.quantities.microBatchSize.value, null);
  });

  it('is followed through helpers, and a helper alone is not a run', async () => {
    const helper = SFT.replace('trainer = SFT', 'def build(n):\n    return SFT').replace(
      'trainer.train()\n',
      '',
    );
    assert.deepEqual((await read({ 'a.py': helper })).runs, []);
    const run = await runOf(`${helper}build(2).train()\n`, 'a.py');
    assert.equal(run.quantities.microBatchSize.value, 4);
  });

  it('is silent if it trains nothing', async () => {
    const texts = [
      'from trl import SFTTrainer\nclass Mine(SFTTrainer):\n    pass\n',
      'from trl import SFTTrainer\nSFTTrainer(model="x").evaluate()\n',
      'def SFTTrainer(x): pass\nSFTTrainer(1)  # like trl\n',
      'x = "trl SFTTrainer("',
    ];
    for (const text of texts) {
      const { dialect, runs } = await read({ 'a.py': text });
      assert.deepEqual([dialect, runs], [null, []], text);
    }
  });
});

describe('an edit of a program', () => {
  const changes = [
    { quantity: 'microBatchSize', to: 1 },
    { quantity: 'gradAccum', to: 16 },
    { quantity: 'loss', to: 'liger' },
    { quantity: 'attention', to: 'flash_attention_2' },
    { quantity: 'precision', to: 'fp16' },
  ] as const;
  const expected = SFT.replace('=BATCH,', '=1,')
    .replace('=16 // BATCH,', '=16,')
    .replace(
      'bf16=True,  # of the card',
      'bf16=False,  # of the card\n    fp16=True,\n    use_liger_kernel=True,',
    )
    .replace(
      'dtype=torch.bfloat16)\npeft',
      'dtype=torch.bfloat16, attn_implementation="flash_attention_2")\npeft',
    );

  it('replaces arguments, and adds them to the call that takes them, in its style', async () => {
    const result = editsFor(await runOf(SFT, 'a.py'), changes);
    assert(result.ok);
    const after = applied({ 'a.py': SFT }, result.edits)['a.py'] ?? '';
    assert.deepEqual(after.split('\n').toSorted(), expected.split('\n').toSorted());
  });

  it('keeps a notebook valid, with a string a line', async () => {
    const file = notebookOf([SFT]);
    const result = editsFor(await runOf(file, 'a.ipynb'), changes);
    assert(result.ok);
    const after = applied({ 'a.ipynb': file }, result.edits)['a.ipynb'] ?? '';
    const { cells } = JSON.parse(after) as { cells: { source: string[] }[] };
    const lines = cells[1]?.source ?? [];
    assert.deepEqual(lines.toSorted(), expected.split(/(?<=\n)/).toSorted());
    assert(lines.every(line => !line.slice(0, -1).includes('\n')));
  });

  it('is refused where no call takes the argument', async () => {
    const run = await runOf('from trl import SFTTrainer\nSFTTrainer(model="x").train()\n', 'a.py');
    const result = editsFor(run, [{ quantity: 'attention', to: 'flash_attention_2' }]);
    assert.equal(result.ok, false);
  });

  it('is refused where the argument takes an object', async () => {
    const run = await runOf('from trl import SFTTrainer\nSFTTrainer(model="x").train()\n', 'a.py');
    const result = editsFor(run, [{ quantity: 'method', to: 'lora' }]);
    assert.equal(result.ok, false);
  });
});
