import assert from 'node:assert/strict';
import fc from 'fast-check';
import { editsFor } from '../../../src/core/dialects/write';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { tries } from '../../tries';
import { applied, read } from './support';

const CONFIG = [
  'base_model: Qwen/Qwen2.5-7B',
  'sequence_len: 2048',
  'micro_batch_size: 2 # rows',
  'gradient_accumulation_steps: 4',
  'optimizer: adamw_torch',
  'bf16: true',
  '',
].join('\n');

const script = (...lines: readonly string[]): string => `#!/bin/bash\n${lines.join('\n')}\n`;

async function runOf(text: string, files: Readonly<Record<string, string>> = {}): Promise<RunSpec> {
  const { runs } = await read({ 'run.sh': text, ...files });
  assert.equal(runs.length, 1, text);
  return runs[0] ?? assert.fail();
}

/** Ways to write a file from a heredoc. */
const WRITES = [
  "cat > cfg.yaml <<'EOF'",
  'cat <<EOF > cfg.yaml',
  'cat <<"EOF" >"./cfg.yaml"',
  'tee cfg.yaml > /dev/null <<EOF',
  'sudo tee "cfg.yaml" <<EOF',
] as const;

describe('a config that a script writes from a heredoc', () => {
  it('is read, at its lines, and changed there', async () => {
    const micro = fc.integer({ min: 1, max: 64 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...WRITES), micro, fc.boolean(), async (writes, batch, isLate) => {
        const text = script(
          ...(isLate ? ['mkdir -p out', 'A=1'] : []),
          `${writes}\n${CONFIG}EOF`,
          'axolotl train cfg.yaml',
        );
        const run = await runOf(text);
        const { model, microBatchSize, seqLen } = run.quantities;
        assert.deepEqual([model.value, microBatchSize.value, seqLen.value], ['Qwen/Qwen2.5-7B', 2, 2048]);
        assert.equal(microBatchSize.origin.kind === 'file' && microBatchSize.origin.at.line, isLate ? 7 : 5);
        const edits = editsFor(run, [{ quantity: 'microBatchSize', to: batch }]);
        assert.ok(edits.ok);
        const after = applied({ 'run.sh': text }, edits.edits)['run.sh'];
        assert.equal(after, text.replace('micro_batch_size: 2', `micro_batch_size: ${batch}`));
      }),
      { numRuns: tries(20) },
    );
  });

  it('has the values of the script’s variables, which are not changed there', async () => {
    const config = CONFIG.replace('2048', '$LENGTH').replace(': 4', ': ${STEPS}');
    const run = await runOf(
      script('LENGTH=4096', `cat > c.yaml <<EOF\n${config}EOF`, 'axolotl train c.yaml'),
    );
    assert.deepEqual([run.quantities.seqLen.value, run.quantities.gradAccum.value], [4096, null]);
    assert.equal(editsFor(run, [{ quantity: 'seqLen', to: 1024 }]).ok, false);
    const literal = await runOf(
      script('LENGTH=4096', `cat > c.yaml <<'EOF'\n${config}EOF`, 'axolotl train c.yaml'),
    );
    assert.equal(literal.quantities.seqLen.value, null);
  });

  it('is unknown where only a branch adds to it, or names it', async () => {
    const serve = 'trtllm-serve Qwen/Qwen3-8B --config extra.yml';
    const write = 'cat > extra.yml <<EOF\nmax_seq_len: 4096\nEOF';
    const more = 'cat >> extra.yml <<EOF\nmax_batch_size: 8\nEOF';
    const branch = (body: string): string => `if [ -f flag ]; then\n${body}\nfi`;
    const lengthOf = async (...lines: readonly string[]): Promise<number | null> =>
      (await runOf(script(...lines))).quantities.seqLen.value;
    assert.equal(await lengthOf(write, serve), 4096);
    assert.equal(await lengthOf(write, branch(more), serve), 4096);
    assert.equal(await lengthOf(write, branch(write.replace('4096', '8192')), serve), null);
    assert.equal(
      await lengthOf(
        write,
        'ARGS=""',
        branch('ARGS="--config extra.yml"'),
        serve.replace('--config extra.yml', '$ARGS'),
      ),
      null,
    );
    const known = `N=1\nif [ $N = 1 ]; then\n${write}\nelse\n${write.replace('4096', '8192')}\nfi`;
    assert.equal(await lengthOf(known, serve), 4096);
  });

  it('is also what a program’s option names, and a program', async () => {
    const json = '{"zero_optimization": {"stage": 3}}';
    const flags =
      '--model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 1 --output_dir o --do_train';
    const trained = await runOf(
      script(`cat > ds.json <<EOF\n${json}\nEOF`, `deepspeed run_clm.py --deepspeed ds.json ${flags}`),
    );
    assert.equal(trained.quantities.zeroStage.value, 3);
    const program = 'from vllm import LLM\nLLM(model="Qwen/Qwen3-8B", max_model_len=8192).generate("a")\n';
    const served = await runOf(script(`cat > serve.py <<'EOF'\n${program}EOF`, 'python serve.py'));
    assert.deepEqual([served.dialect, served.quantities.seqLen.value], ['vllm', 8192]);
  });
});

describe('a script’s words', () => {
  it('of a function in a sourced file are read there, with what the script hands to it', async () => {
    const common =
      'M=Qwen/Qwen3-8B\nserve() {\n  vllm serve "$M" --port $1 --max-model-len $2 --max-num-seqs 8\n}\n';
    const files = {
      'run.sh': '#!/bin/bash\nsource "$(dirname "$0")/common.sh"\nserve 8000 "$(cat length)"\n',
      'known.sh': '#!/bin/bash\n. ./common.sh\nserve 8000 4096 &\n',
      'other.sh': '#!/bin/bash\nsource common.sh\nstart 8000 4096\n',
      'common.sh': common,
    };
    const [open] = (await read(files, 'run.sh')).runs;
    assert.deepEqual([open?.quantities.model.value, open?.quantities.seqLen.value], ['Qwen/Qwen3-8B', null]);
    const [known] = (await read(files, 'known.sh')).runs;
    assert.ok(known);
    assert.equal(known.quantities.seqLen.value, 4096);
    const edits = editsFor(known, [{ detail: 'maxSequences', to: 4 }]);
    assert.ok(edits.ok);
    assert.equal(applied(files, edits.edits)['common.sh'], common.replace('seqs 8', 'seqs 4'));
    assert.deepEqual((await read(files, 'other.sh')).runs, []);
  });
});
