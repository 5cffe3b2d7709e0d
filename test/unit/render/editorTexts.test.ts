import assert from 'node:assert/strict';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import type { DeviceEstimate, HostEstimate, Verdict } from '../../../src/core/memory/estimate';
import { memoryBar } from '../../../src/core/render/bar';
import { explanation } from '../../../src/core/render/explanation';
import { english } from '../../../src/core/text/say';
import { describeTarget } from '../../../src/core/hardware/describe';
import { shortAnswer } from '../../../src/core/render/statusBar';
import { lensTexts } from '../../../src/core/render/lens';
import { relatedPlaces } from '../../../src/core/render/related';
import { parseTarget } from '../../../src/core/hardware/target';
import { Catalogs } from '../../../src/world/catalogs';
import { analyzed, needing } from '../editor/runs';
import type { Gap } from '../../../src/core/memory/gap';

const CONFIG = 'base_model: org/model\nadapter: qlora\nmicro_batch_size: 2\nsequence_len: 512\n';
const GB = 2 ** 30;

/** The run with an estimate of the given GB on a card of 24 GB. */
function judged(base: RunAnalysis, gigabytes: number, verdict: Verdict, name = ''): RunAnalysis {
  const run = needing(base, gigabytes * GB);
  const [device] = run.estimate?.devices ?? [];
  assert.ok(device && run.estimate);
  const on: DeviceEstimate = {
    ...device,
    name: 'RTX 4090',
    capacityBytes: 24 * GB,
    usableBytes: 23.5 * GB,
    verdict,
    terms: [
      { term: 'weights', bytes: gigabytes * 0.3 * GB, formula: '', from: ['model'] },
      { term: 'activations', bytes: gigabytes * 0.6 * GB, formula: '', from: ['microBatchSize', 'seqLen'] },
      {
        term: 'logits and loss',
        bytes: gigabytes * 0.1 * GB,
        formula: '',
        from: ['microBatchSize', 'model'],
      },
    ],
  };
  return { ...run, verdict, run: { ...run.run, name }, estimate: { ...run.estimate, devices: [on] } };
}

const pair = ({ icon, text }: ReturnType<typeof shortAnswer>): string[] => [icon, text];

describe('texts of the editor', () => {
  let base: RunAnalysis;

  before(async () => {
    const { analysis } = await analyzed('/ws/a.yml', { '/ws/a.yml': CONFIG });
    const [first] = analysis.runs;
    assert.ok(first);
    base = first;
  });

  const titles = (...runs: readonly RunAnalysis[]): string[] => lensTexts(runs).map(({ title }) => title);

  it('a lens answers in full on a line of its own', () => {
    const title = '$(pass)\u00a0≈ 21.4 GB of 24 GB · fits · RTX 4090';
    assert.deepEqual(titles(judged(base, 21.4, 'fits')), [title]);
  });

  it('a lens says where the GPU uses the memory of its machine', async () => {
    const gpus = await new Catalogs('src/core/data').gpus();
    const spark = parseTarget('GB10', gpus, { count: null, nodes: 1 });
    assert.ok(spark.ok);
    const shared = { ...judged(base, 21.4, 'fits'), target: spark.target };
    assert.deepEqual(titles(shared), ['$(pass)\u00a0≈ 21.4 GB of 24 GB shared · fits · RTX 4090']);
  });

  it('the status bar says the same in few words, and in words for a screen reader', () => {
    const { icon, text, spoken } = shortAnswer(judged(base, 29.6, 'exceeds'));
    assert.deepEqual([icon, text], ['error', '29.6/24 GB · RTX 4090']);
    assert.equal(spoken, 'about 29.6 GB of 24 GB, does not fit, RTX 4090');
    assert.equal(shortAnswer(judged(base, 23.8, 'exceeds')).text, '23.8/23.5 usable GB · RTX 4090');
    assert.equal(shortAnswer(judged(base, 0.5, 'fits')).text, '512 MB/24 GB · RTX 4090');
  });

  it('the status bar says what is missing', () => {
    const unknown = { ...base, estimate: null, verdict: 'unknown' } as const;
    const iconAndText = (run: RunAnalysis) => `${shortAnswer(run).icon} ${shortAnswer(run).text}`;
    assert.equal(
      iconAndText({ ...unknown, missing: ['the model'], gaps: [{ what: 'model' }] }),
      'question GPU memory unknown',
    );
    const gap = { what: 'GPU for a share', name: 'vLLM' } as const;
    const vllm = { ...unknown, missing: ['the GPU: vLLM takes a share of its memory'], gaps: [gap] };
    assert.equal(iconAndText(vllm), 'question needs a GPU');
    assert.equal(
      iconAndText({ ...needing(base, 29.6 * GB), verdict: 'unknown' }),
      'question 29.6 GB · no GPU chosen',
    );
    const guessed = { ...judged(base, 8, 'fits'), tentative: { perhaps: 'fits', assumed: [] } } as const;
    assert.equal(iconAndText(guessed), 'question 8.0/24 GB · RTX 4090 · keys guessed');
  });

  it('the status bar does not ask for a GPU where the run is on the CPU', () => {
    const run = judged(base, 0, 'unknown');
    assert.ok(run.estimate);
    const onMachine = (host: HostEstimate | null, verdict: Verdict) =>
      shortAnswer({ ...run, verdict, estimate: { ...run.estimate!, onMachine: true, host } });
    const bytes = { low: 40 * GB, expected: 40 * GB, high: 40 * GB };
    const host: HostEstimate = { phase: 'computing', bytes, terms: [], capacityBytes: 32 * GB };
    assert.deepEqual(pair(onMachine(null, 'unknown')), ['pass', 'CPU']);
    assert.deepEqual(pair(onMachine(host, 'exceeds')), ['error', '40.0/32 GB RAM · CPU']);
  });

  it('a lens names its run', () => {
    const title = '$(error)\u00a001_stage: ≈ 44.0 GB of 24 GB · does not fit · RTX 4090';
    assert.deepEqual(titles(judged(base, 44, 'exceeds', '01_stage')), [title]);
  });

  it('lenses are short where several share a line, and neighbours with one answer are one', () => {
    const runs = [
      judged(base, 44, 'exceeds', '01_stage'),
      ...['02', '03', '04'].map(n => judged(base, 17.5, 'fits', `${n}_stage`)),
      judged(base, 12, 'fits', '05_stage'),
      judged(base, 12, 'fits', '06_stage'),
    ];
    assert.deepEqual(titles(...runs), [
      '$(error)\u00a001_stage ≈ 44.0 of 24 GB · does not fit',
      '$(pass)\u00a002_stage … 04_stage ≈ 17.5 of 24 GB',
      '$(pass)\u00a005_stage, 06_stage ≈ 12.0 of 24 GB',
    ]);
    assert.deepEqual(
      lensTexts(runs).map(({ run }) => run.run.name),
      ['01_stage', '02_stage', '05_stage'],
    );
  });

  it('of more answers than a line has room for, the worst is shown and the others are counted', () => {
    const sizes = [10, 12, 30, 14];
    const runs = sizes.map(size => judged(base, size, size > 24 ? 'exceeds' : 'fits', `batch=${size}`));
    assert.deepEqual(titles(...runs), [
      '$(error)\u00a0batch=30 ≈ 30.0 of 24 GB · does not fit',
      '4 runs: 3 fit, 1 does not fit',
    ]);
  });

  it('a run that is below the size of the card and does not fit is told what of it is usable', () => {
    const run = judged(base, 23.7, 'exceeds', 'x');
    assert.deepEqual(titles(run), ['$(error)\u00a0x: ≈ 23.7 GB of 23.5 usable GB · does not fit · RTX 4090']);
    assert.equal(titles(run, run)[0], '$(error)\u00a0x, x ≈ 23.7 of 23.5 usable GB · does not fit');
  });

  it('a lens without an estimate says so, with other runs and alone', () => {
    const unknown = { ...base, run: { ...base.run, name: 'x' } };
    assert.equal(titles(unknown, judged(base, 12, 'fits', 'y'))[0], '$(question)\u00a0x · unknown');
    assert.match(titles(unknown)[0] ?? '', /^\$\(question\)\u00a0x: Can't estimate: model .* isn't known$/);
  });

  it('a lens without an estimate gives one reason in few words', () => {
    const lensOf = (gap: Gap, missing = 'a fact'): string =>
      titles({ ...base, estimate: null, verdict: 'unknown', missing: [missing], gaps: [gap] })[0] ?? '';
    const texts: readonly (readonly [Gap, string, string?])[] = [
      [{ what: 'architecture', name: 'a/b' }, "Can't estimate: model a/b isn't known"],
      [
        { what: 'architecture', name: 'src.models.module.LitModule' },
        "Can't estimate: custom model code (LitModule)",
      ],
      [{ what: 'memory model', name: 'mamba' }, "Can't estimate: mamba models aren't supported yet"],
      [
        { what: 'memory of the task', name: 'classification' },
        "Can't estimate: custom training code (classification)",
      ],
      [{ what: 'GPU for a share', name: 'vLLM' }, 'Choose a GPU: vLLM reserves a share of its memory'],
      [
        { what: 'GPU' },
        'Choose a GPU: the device map puts everything on the host',
        'a GPU: the device map puts everything on the host',
      ],
      [{ what: 'other' }, "Can't estimate: needs the ZeRO stage", 'the ZeRO stage'],
    ];
    const custom = {
      ...base,
      estimate: null,
      verdict: 'unknown',
      missing: ['the task', 'the architecture of a.b.Net'],
      gaps: [{ what: 'task' }, { what: 'architecture', name: 'a.b.Net' }],
    };
    assert.match(titles(custom as typeof base)[0] ?? '', /custom model code \(Net\)$/);
    const because = (networkWhy: string): string => titles({ ...custom, networkWhy } as typeof base)[0] ?? '';
    assert.match(because('the pass of Net is not read'), /\(Net\): the pass of Net is not read$/);
    assert.match(because('a reason that is too long for one line '.repeat(2)), /\(Net\)$/);
    for (const [gap, text, missing] of texts) {
      assert.equal(lensOf(gap, missing), `$(question)\u00a0${text}`);
      assert.ok(text.length <= 90);
    }
  });

  it('keys behind the largest terms come once each, with their shares', () => {
    const places = relatedPlaces(judged(base, 10, 'fits'));
    assert.deepEqual(
      places.map(({ message }) => message),
      [
        'micro_batch_size: activations 6.0 GB, logits and loss 1.0 GB',
        'sequence_len: activations 6.0 GB',
        'base_model: weights 3.0 GB, logits and loss 1.0 GB',
      ],
    );
  });

  it('the bar is as wide as the need or the card, and marks the card where the need is larger', () => {
    const deviceOf = (run: RunAnalysis): DeviceEstimate => {
      const [device] = run.estimate?.devices ?? [];
      assert.ok(device);
      return device;
    };
    const within = memoryBar(deviceOf(judged(base, 12, 'fits')), 'dark');
    const beyond = memoryBar(deviceOf(judged(base, 48, 'exceeds')), 'dark');
    const colors = (svg: string): number => (svg.match(/<rect [^>]*fill="#/g) ?? []).length;
    assert.equal(colors(within), 3);
    assert.ok(!within.includes('<line'));
    const limit = /<line x1="([\d.]+)"[^>]*stroke="#f14c4c"/.exec(beyond)?.[1];
    assert.ok(limit && Math.abs(Number(limit) - 160) <= 1, limit);
  });

  it('an explanation has a part for each run, and nothing of a config becomes Markdown', async () => {
    const text = CONFIG.replace('org/model', '"[x](command:y) **z**"');
    const { analysis } = await analyzed('/ws/a.yml', { '/ws/a.yml': `${text}---\n${text}` });
    const page = explanation(analysis, () => '').source;
    assert.match(page, /^# a\.yml\n/);
    assert.match(page, /^## document 1$/m);
    assert.match(page, /^## document 2$/m);
    assert.ok(!page.includes('](command:y)'));
    assert.ok(!page.includes('**z**'));
  });

  it('a target says its number and its memory, once', () => {
    const target = {
      name: 'RTX 4090',
      totalMiB: 24_564,
      usableMiB: 24_000,
      busyMiB: 0,
      gpu: null,
      count: 2,
      nodes: 1,
      kind: 'planned',
    } as const;
    assert.equal(describeTarget(english, target), '2 × RTX 4090 · 24 GB');
    assert.equal(describeTarget(english, { ...target, name: '24 GB', count: null }), '24 GB');
  });
});
