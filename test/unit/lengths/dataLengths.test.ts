import assert from 'node:assert/strict';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { readRecords, recordLine } from '../../../src/core/lengths/readRecords';
import type { TemplateUse } from '../../../src/core/lengths/record';
import { hover } from '../../../src/core/render/hover';
import { analysesAsJson } from '../../../src/core/render/json';
import { lengthBars } from '../../../src/core/render/lengthBars';
import {
  countedHow,
  describeDataLengths,
  lengthChart,
  describeRecord,
} from '../../../src/core/render/lengths';
import { lensTexts } from '../../../src/core/render/lens';
import { checkText, explainText } from '../../../src/core/render/text';
import { plainPaint } from '../../../src/core/text/terminal';
import { judged } from '../core/support';
import { config, recordOf, withData } from './withData';
import { english } from '../../../src/core/text/say';

const rulesOf = ({ findings }: RunAnalysis): readonly string[] =>
  findings.map(({ rule }) => rule).filter(rule => /^(limit-above-data|rows-cut|padding-waste)$/.test(rule));

describe('lengths: what they mean for a run', () => {
  it('is the answer of the longest row beside that of the limit', async () => {
    const run = await withData(config(), 1000);
    const [same] = (await judged(config({ sequence_len: 1024 }))).estimate?.devices ?? [];
    const { low = 0, ...rest } = run.data?.estimate?.devices[0]?.device ?? {};
    const { low: ofAny = 0, ...restOfAny } = same?.device ?? {};
    assert.deepEqual(rest, restOfAny, 'padded in steps of 64');
    assert.ok(low > ofAny, 'rows that nobody counted may be shorter');
    assert.equal(run.verdict, 'exceeds', 'the verdict is that of the limit, which holds for any data');
    assert.match(
      describeDataLengths(english, run.data!).join(' '),
      /^No row is longer than 1,024 tokens, and the longest batch sets the peak: with this data ≈ .* the limit of 8,192 tokens holds for any data/,
    );
    assert.match(lensTexts([run])[0]?.title ?? '', / · your data ≈ \d+\.\d GB$/);
  });

  it('is a fix that makes sure of it', async () => {
    const run = await withData(config(), 1000);
    const finding = run.findings.find(({ rule }) => rule === 'limit-above-data');
    const [edit] = finding?.remedies[0]?.edits ?? [];
    assert.deepEqual([edit?.path, edit?.from, edit?.to], ['sequence_len', '8192', '1024']);
  });

  it('is that rows are cut, and how long they would have to be', async () => {
    const run = await withData(config({ sequence_len: 512 }), 4096);
    assert.deepEqual(rulesOf(run), ['rows-cut']);
    assert.match(
      run.findings.find(({ rule }) => rule === 'rows-cut')?.message ?? '',
      /^1\.0 % of the rows are longer than 512 tokens: Axolotl drops them .* 4,096 all\.$/,
    );
    assert.equal(run.data?.estimate, null);
  });

  it('is the padding of a batch, and packing against it', async () => {
    const run = await withData(config({ sequence_len: 4096 }), 4000);
    // The longest of 8 rows is the long one with probability 1 − 0.99⁸.
    const long = 1 - 0.99 ** 8;
    const expected = 1 - (9900 + 4000) / 100 / (100 * (1 - long) + 4000 * long);
    assert.ok(Math.abs((run.data?.paddingShare ?? 0) - expected) < 1e-9);
    assert.deepEqual(rulesOf(run), ['padding-waste']);
  });

  it('is nothing but padding where every row is padded to the limit', async () => {
    const run = await withData(config({ sequence_len: 4096, pad_to_sequence_len: true }), 1000);
    assert.equal(run.data?.use, 'fixed');
    assert.equal(run.data.estimate, null);
    assert.ok(Math.abs((run.data.paddingShare ?? 0) - (1 - (9900 + 1000) / 100 / 4096)) < 1e-9);
    assert.match(describeDataLengths(english, run.data).join(' '), /4,096/);
  });

  it('is how many full rows they make where they are packed', async () => {
    const run = await withData(config({ sample_packing: true, sequence_len: 4096 }), 1000);
    assert.equal(run.data?.use, 'packed');
    assert.equal(run.data.estimate, null);
    assert.deepEqual(describeDataLengths(english, run.data), ['Packed: about 3 rows of 4,096 tokens.']);
    assert.deepEqual(rulesOf(run), []);
  });

  it('is nothing but a hint that they are others, where the files changed', async () => {
    const run = await withData(config(), 1000, {}, true);
    assert.deepEqual(describeDataLengths(english, run.data!), [
      'The data changed after the count of 2026-01-02. Count it again.',
    ]);
    assert.deepEqual(rulesOf(run), []);
    assert.equal(run.data?.estimate, null);
  });

  it('is not certain where rows were not read: then no limit is proposed', async () => {
    const run = await withData(config(), 1000, { scanned: false, rows: 1000 });
    assert.match(describeDataLengths(english, run.data!)[0] ?? '', /^No row read is longer than 1,024/);
    assert.deepEqual(rulesOf(run), []);
  });

  it('goes to the high end where bytes were counted, or rows were not tokenised', async () => {
    const bytes = await withData(config(), 4000, { tokenizer: null });
    assert.equal(bytes.data?.longest, 2048, '2 bytes a token, in steps of 64');
    assert.match(describeRecord(english, bytes.data.record), /longest about 1,000 \(800 to 2,000\)/);
    const some = await withData(config(), 1000, { counted: 10, untokenisedBytes: 6000 });
    assert.equal(some.data?.longest, 2048, '6,000 bytes at 3 a token');
  });

  it('does not count for data or a model that are others', async () => {
    const run = await withData(config(), 1000, { key: 'other' });
    assert.equal(run.data, null);
  });

  it('is the whole answer where nothing limits the rows', async () => {
    const recipe = [
      'tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, path: /tmp/tokenizer.model, max_seq_len: null}',
      'model: {_component_: torchtune.models.llama3.lora_llama3_8b, lora_rank: 8, lora_attn_modules: [q_proj]}',
      'checkpointer: {_component_: torchtune.training.FullModelHFCheckpointer, checkpoint_dir: /tmp/Meta-Llama-3-8B}',
      'optimizer: {_component_: torch.optim.AdamW, fused: true}',
      'loss: {_component_: torchtune.modules.loss.LinearCrossEntropyLoss}',
      'dataset: {source: json, data_files: data.jsonl, packed: false}',
      'batch_size: 1',
      'dtype: bf16',
      'enable_activation_checkpointing: true',
    ].join('\n');
    const before = await judged(recipe);
    assert.equal(before.verdict, 'unknown');
    const run = await withData(recipe, 1000);
    assert.notEqual(run.verdict, 'unknown');
    assert.ok(
      run.estimate?.assumptions.some(one => one.startsWith('rows of 1024 tokens, the longest of the data')),
    );
  });

  it('stands in every output', async () => {
    const PICTURE = 'data:image/svg+xml;utf8,x';
    const run = await withData(config(), 1000);
    const picture = lengthBars(run.data!.record, 8192, 'dark');
    assert.match(picture, /^<svg [^]*stroke-dasharray[^]*<\/svg>$/);
    const text = hover(run, { quantity: null, file: 'config.yaml', bar: null, lengths: PICTURE });
    assert.match(text.source, /!\[100 rows of data\/train\.jsonl[^\n]*\]\(data:image\/svg/);
    assert.match(
      explainText(run, 'config.yaml', plainPaint).raw,
      /100 rows of data\/train\.jsonl: mean 109 tokens[^]* ≤ {3}128 {2}█+ 99 %/,
    );
    const analysis = { file: 'config.yaml', dialect: 'axolotl', runs: [run], findings: [], dependencies: [] };
    assert.match(checkText(analysis, plainPaint).raw, /No row is longer than 1,024 tokens/);
    const json = JSON.stringify(analysesAsJson([analysis]));
    assert.match(json, /"use":"longest","longest":1024,"cutShare":0/);
    assert.match(lengthChart(run.data!.record, 8192).raw, /≤ 1,024 {2}▏? ?/);
  });
});

describe('lengths: the file that keeps them', () => {
  it('is read line by line; what is cut or foreign costs nothing but itself', () => {
    const record = recordOf('k', 1000);
    const text = `${recordLine(record)}{"schema":"headroom-lengths/1","key":\nnull\n[]\n${recordLine({ ...record, key: 'b' })}`;
    assert.deepEqual(
      readRecords(text).map(({ key }) => key),
      ['k', 'b'],
    );
    assert.deepEqual(readRecords(recordLine(record)), [record]);
    const written = { ...record, template: { rendered: 3, refused: 1, why: 'no system' } };
    assert.deepEqual(readRecords(recordLine(written)), [written]);
  });

  it('says whose template stands around messages', () => {
    const how = (marks: string | null, template?: TemplateUse) =>
      countedHow(english, { ...recordOf('k', 1000), marks, ...(template && { template }) })[0];
    const use = (rendered: number, refused: number, why: string | null = null) => ({
      rendered,
      refused,
      why,
    });
    const from = 'Tokenized with a tokenizer';
    const own = `${from}, messages formatted with its chat template`;
    const marked = `${from}, messages in ChatML format; text that the chat template adds isn't counted`;
    assert.equal(how(null), `${from}.`);
    assert.equal(how('ChatML'), `${marked}.`);
    assert.equal(how(null, use(100, 0)), `${own}.`);
    assert.equal(how('ChatML', use(50, 0)), `${own}, others in ChatML format.`);
    assert.equal(
      how('ChatML', use(99, 1, 'no system')),
      `${own}, 1 that it rejects (no system) in ChatML format.`,
    );
    assert.equal(
      how('ChatML', use(0, 100, 'it does not end')),
      `${marked}; its chat template failed (it does not end).`,
    );
  });
});
