import assert from 'node:assert/strict';
import { editsFor } from '../../../src/core/dialects/write';
import { scriptOf } from '../../../src/core/dialects/command/shell';
import { whole } from '../../../src/core/dialects/command/located';
import { applied, read } from './support';

const lines = (script: string, which: 'always' | 'perhaps' = 'always'): string[] =>
  scriptOf(whole(script), new Map())[which].map(words =>
    words.map(({ text, open }) => (open ? `<${text}>` : text)).join(' '),
  );

describe('a script’s words', () => {
  it('of a text that holds several are taken apart where it stands without quotes', () => {
    assert.match(
      lines('ARGS="\n  --a 1 \\\n  --b 2\n"\nARGS="$ARGS --c 3"\nrun $ARGS x "$ARGS"')[0] ?? '',
      /^run --a 1 --b 2 --c 3 x \n/,
    );
    assert.deepEqual(lines('ARGS="--a 1"\nARGS+=" --b 2"\nrun ${ARGS}'), ['run --a 1 --b 2']);
  });

  it('of a heredoc that fills a variable are that variable’s', () => {
    assert.deepEqual(lines("read -r -d '' CMD <<EOF\nx.y \\\n  --a 1\nEOF\nrun --module $CMD"), [
      'read -r -d  CMD <<EOF',
      'run --module x.y --a 1',
    ]);
  });

  it('that a branch adds to a list are there, and not known', () => {
    assert.deepEqual(lines('A=(--a 1)\nif [[ $X == y ]]; then\n  A+=("--b 2")\nfi\nrun ${A[@]}'), [
      'run --a 1 <--b> <2>',
    ]);
  });

  it('in arithmetic are numbers, and unknown where one of them is', () => {
    assert.deepEqual(lines('N=2\nrun $(( (N + 1) * 8 / 4 )) $((N * M))'), ['run 6 <$((N * M))>']);
  });

  it('handed to another shell are its commands', () => {
    assert.deepEqual(lines('A="run --a"\nsrun bash -c "cd x; $A 1"'), ['cd x', 'run --a 1']);
  });

  it('of a branch are kept apart', () => {
    assert.deepEqual(lines('if [ $1 = x ]; then\n  run a\nelse\n  run b\nfi', 'perhaps'), ['run a', 'run b']);
  });
});

const TRL = `#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=0,2,3
torchrun --nproc_per_node 3 sft.py \\
  --model_name_or_path a/b --dataset_name d --per_device_train_batch_size 4 --max_length 1024 \\
  --output_dir out --learning_rate 1e-5
`;

describe('shell scripts', () => {
  it('are runs of what they start, on the GPUs that the launcher is told', async () => {
    const { dialect, runs } = await read({ 'train.sh': TRL });
    assert.deepEqual([dialect, runs[0]?.dialect], ['shell', 'hf-trl']);
    assert.equal(runs[0]?.quantities.gpus.value, 3);
    assert.equal(runs[0].quantities.microBatchSize.value, 4);
  });

  it('see the GPUs that CUDA_VISIBLE_DEVICES names', async () => {
    const script = TRL.replace('torchrun --nproc_per_node 3', 'python');
    const [run] = (await read({ 'train.sh': script })).runs;
    assert.equal(run?.quantities.devices.value, 3);
    const before = script.replace(
      'export CUDA_VISIBLE_DEVICES=0,2,3\npython',
      'CUDA_VISIBLE_DEVICES=1 python',
    );
    assert.equal((await read({ 'train.sh': before })).runs[0]?.quantities.devices.value, 1);
    const open = script.replace('0,2,3', '$GPUS');
    assert.equal((await read({ 'train.sh': open })).runs[0]?.quantities.devices.value, null);
  });

  it('take an edit at the word, in a variable’s text as well', async () => {
    const script =
      'set -e\nARGS="--model_name_or_path a/b --dataset_name d --max_length 1024 --output_dir o --per_device_train_batch_size 4"\npython sft.py $ARGS --learning_rate 1e-5\n';
    const files = { 'train.sh': script };
    const [run] = (await read(files)).runs;
    assert.ok(run);
    const result = editsFor(run, [{ quantity: 'seqLen', to: 512 }]);
    assert.ok(result.ok);
    assert.match(applied(files, result.edits)['train.sh'] ?? '', /--max_length 512 --output_dir/);
  });

  it('that start nothing of ours are nobody’s', async () => {
    const { dialect, runs } = await read({ 'x.sh': '#!/bin/bash\npython server.py --port 80\n' });
    assert.deepEqual([dialect, runs], [null, []]);
  });
});
