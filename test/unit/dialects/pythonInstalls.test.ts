import assert from 'node:assert/strict';
import { judge } from '../core/support';

const notebook = (...cells: readonly string[]): string =>
  JSON.stringify({
    cells: cells.map(source => ({
      cell_type: 'code',
      metadata: {},
      outputs: [],
      execution_count: null,
      source,
    })),
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  });

const TRAINS = `from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", per_device_train_batch_size=2, max_seq_length=1024)
SFTTrainer(model="Qwen/Qwen2.5-0.5B", args=args).train()
`;

const frameworkIn = async (...cells: readonly string[]) => {
  const { runs } = await judge({ 'a.ipynb': notebook(...cells) }, 'T4');
  return runs[0]?.run.framework;
};

describe('what a notebook installs', () => {
  it('is the release of its runs', async () => {
    const framework = await frameworkIn('%%capture\n!pip install trl==0.11.4 "transformers==4.45.2"', TRAINS);
    assert.deepEqual(
      [framework?.version, framework?.libraries?.['transformers'], framework?.stated],
      ['0.11.4', '4.45.2', true],
    );
  });

  it('is read on continued lines, and the last of several counts', async () => {
    const framework = await frameworkIn(
      '%pip install -q \\\n  trl==0.9.6 \\\n  peft\n!uv pip install trl==0.12.0',
      TRAINS,
    );
    assert.equal(framework?.version, '0.12.0');
  });

  it('says nothing without an exact release', async () => {
    const plain = await frameworkIn(TRAINS);
    assert.deepEqual(await frameworkIn('!pip install -U "trl>=0.9" transformers', TRAINS), plain);
    assert.notEqual(plain?.stated, true);
  });

  it('is that of a server, with its own defaults', async () => {
    const serves = 'from vllm import LLM\nllm = LLM("Qwen/Qwen2.5-0.5B")\n';
    const framework = await frameworkIn('!pip install vllm==0.8.5', serves);
    assert.deepEqual([framework?.version, framework?.stated], ['0.8.5', true]);
  });

  it('is that of a Databricks notebook, whose magics are comments', async () => {
    const text = `# Databricks notebook source\n# MAGIC %pip install 'vllm==0.8.5'\n\n# COMMAND ----------\n\nfrom vllm import LLM\nllm = LLM("Qwen/Qwen2.5-0.5B")\n# pip install vllm==0.6.0\n`;
    const { runs } = await judge({ 'score.py': text }, 'T4');
    assert.equal(runs[0]?.run.framework.version, '0.8.5');
  });
});
