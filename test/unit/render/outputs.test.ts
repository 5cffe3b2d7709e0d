import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Verdict } from '../../../src/core/memory/estimate';
import { memoryBar } from '../../../src/core/render/bar';
import { breakdown, hover, visibleText } from '../../../src/core/render/hover';
import { displayName } from '../../../src/core/render/origin';
import { keyNoteAt } from '../../../src/core/dialects/keyNotes';
import { keyNoteSentences } from '../../../src/core/render/keyNote';
import { statedIn } from '../../../src/editor/findings';
import { configs, textOf } from '../../golden/configs';
import { analyze } from '../../../src/core/analyse/analyse';
import { batchArithmetic, sharedBatchArithmetic } from '../../../src/core/spec/batchArithmetic';
import { analysesAsJson } from '../../../src/core/render/json';
import { sarifLog, sarifResults } from '../../../src/core/render/sarif';
import { checkText, explainText } from '../../../src/core/render/text';
import { plainPaint } from '../../../src/core/text/terminal';
import { escaped, Markdown, mdText } from '../../../src/core/text/markdown';
import { onceEach, summaryText } from '../../../src/core/render/summary';
import { answer, whyUnknown } from '../../../src/core/render/verdict';
import { rules } from '../../../src/core/rules/registry';
import { axolotl, judge, judged, target, worldWithModels } from '../core/support';
import { running } from '../dialects/support';
import { someOf } from '../../tries';
import { english } from '../../../src/core/text/say';

const PICTURE = 'data:image/svg+xml;utf8,x';

interface JsonRun {
  spec: Record<string, { value: unknown; origin: string; path?: string; file?: string; line?: number }>;
  estimate: {
    metric: string;
    devices: { verdict: Verdict; bytes: { expected: number }; terms: { bytes: number }[] }[];
  } | null;
  findings: { rule: string; remedies: { edits: { path: string; from: string | null; to: string }[] }[] }[];
}

async function jsonRun(text: string): Promise<JsonRun> {
  const json = analysesAsJson([await judge({ 'a.yaml': text })]);
  return (JSON.parse(JSON.stringify(json)) as { files: { runs: JsonRun[] }[] }).files[0]!.runs[0]!;
}

describe('JSON', () => {
  it('shows each quantity with its origin', async () => {
    const { spec } = await jsonRun(axolotl());
    assert.deepEqual(spec['microBatchSize'], {
      value: 8,
      unit: 'samples',
      origin: 'file',
      path: 'micro_batch_size',
      file: 'a.yaml',
      line: 8,
    });
    assert.equal(spec['gpus']?.value, null);
    assert.equal(spec['zeroStage']?.origin, 'default');
  });

  it('has terms that add up to the device', async () => {
    const { estimate } = await jsonRun(axolotl());
    const device = estimate!.devices[0]!;
    const sum = device.terms.reduce((total, term) => total + term.bytes, 0);
    assert.ok(Math.abs(sum - device.bytes.expected) <= 1, `${sum} ≠ ${device.bytes.expected}`);
  });

  it('shows remedies as keys and values', async () => {
    const { findings } = await jsonRun(axolotl());
    const remedies = findings.find(({ rule }) => rule === 'does-not-fit')?.remedies ?? [];
    const edits = remedies.flatMap(remedy => remedy.edits);
    assert.ok(edits.some(({ path, from }) => path === 'micro_batch_size' && from === '8'));
  });
});

describe('SARIF', () => {
  it('names rules that it lists', async () => {
    const log = sarifLog(sarifResults(await judge({ 'a.yaml': axolotl() })), rules, '1.0.0');
    const run = log.runs[0]!;
    const known = new Set(run.tool.driver.rules?.map(({ id }) => id));
    assert.ok((run.results ?? []).length > 0);
    assert.ok(run.results?.every(({ ruleId }) => known.has(ruleId ?? '')));
  });
});

describe('texts', () => {
  it('answer in one line', async () => {
    assert.match(answer(await judged(axolotl())), /^≈ [\d.]+ GB of 24 GB · does not fit · RTX 4090$/);
    assert.match(answer(await judged(axolotl(), null)), /^≈ [\d.]+ GB per GPU · no GPU chosen$/);
  });

  it('multiply the batch', async () => {
    const { run } = await judged(axolotl());
    assert.equal(batchArithmetic(run, null), '8 × 4 × 1 GPU = 32');
    assert.equal(batchArithmetic(run, 4), '8 × 4 × 4 GPUs = 128');
    const same = { run, gpus: 1 };
    assert.equal(sharedBatchArithmetic([same, same]), '8 × 4 × 1 GPU = 32');
    const turns = [1, 2, 3, 2].map(gpus => ({ run, gpus }));
    assert.equal(sharedBatchArithmetic(turns), '32 · 64 · 96');
    const many = [1, 2, 3, 4, 5].map(gpus => ({ run, gpus }));
    assert.equal(sharedBatchArithmetic(many), '32 · 64 · 96 · 128 · …');
  });

  it('list a file with its findings and count the runs', async () => {
    const analysis = await judge({ 'a.yaml': axolotl() });
    const text = checkText(analysis, plainPaint).raw;
    assert.match(text, /^a\.yaml axolotl\n {2}≈/);
    assert.match(text, /8:1 warning .* does-not-fit$/m);
    assert.equal(summaryText([analysis], 1), '1 config in 1 file, 1 run: 1 does not fit');
  });

  it('say of a file without a run of its own that there is nothing to estimate', async () => {
    const analysis = await judge({
      'accelerate.yaml':
        'distributed_type: MULTI_GPU\nnum_processes: 2\nnum_machines: 1\nmixed_precision: bf16\n',
    });
    assert.match(
      checkText(analysis, plainPaint).raw,
      /^accelerate\.yaml accelerate\n {2}No run of its own, so nothing to estimate$/,
    );
  });

  it('say of a model’s config.json what it is', async () => {
    const text =
      '{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 64, "num_hidden_layers": 2}';
    assert.match(
      checkText(await judge({ 'config.json': text }), plainPaint).raw,
      /^config\.json model-config\n {2}Describes a model; configs that name its folder are estimated with it$/,
    );
  });

  it('count a stage with the config that names it, once', async () => {
    const stage = 'conf/text_curriculum/01_stage.yaml';
    const config = readFileSync('media/sample/contrastive/conf/config.yaml', 'utf8');
    const text = readFileSync(`media/sample/contrastive/${stage}`, 'utf8');
    const whole = await judge({ 'conf/config.yaml': config, [stage]: text });
    const alone = await judge({ [stage]: text, 'conf/config.yaml': config });
    assert.equal(summaryText([whole, alone], 2), '1 config in 2 files, 1 run: 1 does not fit');
    assert.deepEqual(onceEach([alone, whole]), [whole]);
    assert.deepEqual(onceEach([alone]), [alone]);
  });

  it('say why a run whose rows nothing limits has an amount but no verdict', async () => {
    const torchtune = {
      model: { _component_: 'torchtune.models.llama3_1.lora_llama3_1_8b', lora_rank: 8 },
      tokenizer: { _component_: 'torchtune.models.llama3.llama3_tokenizer' },
      checkpointer: { _component_: 'torchtune.training.FullModelHFCheckpointer' },
      batch_size: 2,
      optimizer: { _component_: 'torch.optim.AdamW' },
      dtype: 'bf16',
    };
    assert.match(
      answer(await judged(JSON.stringify(torchtune))),
      / of 24 GB · the longest sample decides · RTX 4090$/,
    );
  });

  it('do not judge a run that trains nobody knows what on quantized weights', async () => {
    const script =
      'model_name_or_path: Qwen/Qwen3-4B\ndataset_name: a/b\nmax_length: 512\npacking: true\n' +
      'per_device_train_batch_size: 1\nbf16: true\nuse_4bit_quantization: true\n';
    const said = answer(await judged(script));
    assert.equal(said, "Can't estimate: no key says which adapters are trained");
  });

  it('say what helps where a model is not known', async () => {
    const named = (base_model: string) => judged(axolotl({ base_model }));
    const why = whyUnknown(await named('nobody/unheard-of'));
    assert.match(why, /^Model nobody\/unheard-of isn't known/);
    const there = whyUnknown(await named('/models/unheard-of'));
    assert.match(there, /Put its config\.json in that folder\. Or name a similar model for now\.$/);
    assert.match(
      why,
      /There is none here\. Download its config\.json \(`--download` in a terminal\), or put it/,
    );
    assert.match(
      whyUnknown(await named('./out')),
      /There is none here\. Put its config\.json in a folder of that name/,
    );
  });

  it('name a GPU that is only an amount of memory once', async () => {
    const run = await judged(axolotl(), '24GB');
    assert.match(answer(run), /^≈ [\d.]+ GB of 24 GB · does not fit$/);
    const [finding] = run.findings.filter(({ rule }) => rule === 'does-not-fit');
    assert.match(finding?.message ?? '', /, the GPU has 24 GB\. /);
  });

  it('explain every quantity and term', async () => {
    const run = await judged(axolotl());
    const text = explainText(run, 'config.yaml', plainPaint).raw;
    for (const [name, { origin }] of Object.entries(run.run.quantities)) {
      if (origin.kind !== 'unresolved') assert.ok(text.includes(`| ${displayName(english, name)} `), name);
    }
    for (const { term } of run.estimate!.devices[0]!.terms) assert.ok(text.includes(`| ${term} `), term);
  });
});

describe('the hover', () => {
  it('has the sum, the peak, the origins and what is not counted', async () => {
    const run = await judged(axolotl({ adapter: 'lora', lora_r: 8, lora_target_linear: true }));
    const text = breakdown(run, 'config.yaml').source;
    for (const part of ['does not fit', 'weights', 'device memory', 'Peak in the', 'line 8', 'Not counted']) {
      assert.ok(text.includes(part), part);
    }
  });

  it('says what the key does, the verdict, the three largest terms and one link to all of them', async () => {
    const run = await judged(axolotl({ adapter: 'lora', lora_r: 8 }));
    const options = {
      quantity: 'microBatchSize',
      file: 'config.yaml',
      bar: PICTURE,
      swatch: () => PICTURE,
    };
    const links = Markdown.trusted('[Optimize](command:o) · [All terms](command:e)');
    const note = [mdText`Samples per GPU and step.`];
    const text = hover(run, { ...options, links, note }).source;
    const [key, own, verdict, bar, legend, last] = text.split('\n\n');
    assert.equal(key, 'Samples per GPU and step.');
    assert.equal(own, 'micro\\_batch\\_size = 8 samples \\(line 8\\).');
    assert.match(verdict ?? '', /^\*\*≈ .* does not fit · RTX 4090\*\*$/);
    assert.match(bar ?? '', /^!\[weights/);
    assert.match(legend ?? '', /^(?:!\[\]\(data:image\/svg\+xml;utf8,x\) [\w ]+ [\d.]+&nbsp;GB(?: · )?){3}$/);
    assert.equal(last, links.source);
    const told = hover(run, { ...options, links, note, isVerdictShown: true }).source;
    assert.ok(!told.includes('does not fit'));
    assert.ok(!told.includes('2³⁰'));
  });

  it('is no longer than 600 characters at any key of real configs', async function fixtures() {
    this.timeout(120_000);
    const all = [
      'Teach Headroom This Config Format',
      'All terms',
      'Compare GPUs',
      'Profile',
      'Measure Data Lengths',
    ]
      .map(title => `[${title}](command:x)`)
      .join(' · ');
    const links = Markdown.trusted(all);
    let hovers = 0;
    for (const config of someOf(configs, 20)) {
      const text = textOf(config);
      const world = worldWithModels({ [config]: text });
      const { runs, dialect } = await analyze(
        config,
        text,
        world,
        { target: target('RTX 4090'), severities: {} },
        running,
      );
      for (const { name, run, at } of statedIn(config, runs)) {
        const note = dialect === null ? null : keyNoteAt(dialect, text, at.keySpan.start);
        const said = hover(run, {
          quantity: name,
          file: config,
          bar: PICTURE,
          swatch: () => PICTURE,
          links,
          note: note ? keyNoteSentences(note) : [],
        });
        const seen = visibleText(said);
        assert.ok(seen.length <= 600, `${config} ${name}: ${seen.length}\n${seen}`);
        assert.ok(seen.includes('All terms'), seen);
        hovers++;
      }
    }
    assert.ok(hovers > 60, `${hovers}`);
  });

  it('lets nothing of the config become Markdown', () => {
    assert.equal(
      escaped('[x](command:evil) <img> `y`\n# z'),
      '\\[x\\]\\(command:evil\\) \\<img\\> \\`y\\` \\# z',
    );
  });

  it('draws a bar of the right width in each kind of theme', async () => {
    const device = (await judged(axolotl())).estimate!.devices[0]!;
    for (const theme of ['light', 'dark', 'high-contrast', 'high-contrast-light'] as const) {
      const svg = memoryBar(device, theme);
      const widths = [...svg.matchAll(/<rect x="[\d.]+" y="1" width="([\d.]+)"/g)].map(match =>
        Number(match[1]),
      );
      const sum = widths.reduce((total, width) => total + width, 0);
      assert.ok(Math.abs(sum - 318) < 2, `${theme}: ${sum}`);
    }
  });
});
