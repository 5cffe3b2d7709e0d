import assert from 'node:assert/strict';
import fc from 'fast-check';
import { correctionOf } from '../../../src/core/learn/correction';
import { analyze } from '../../../src/core/analyse/analyse';
import { featuresOf, rowsOf } from '../../../src/core/learn/features';
import { learned } from '../../../src/core/learn/learned';
import type { Measurement } from '../../../src/core/learn/measurement';
import { measurementLine, readMeasurements } from '../../../src/core/learn/readMeasurements';
import { regressionIn } from '../../../src/core/learn/regression';
import type { Term } from '../../../src/core/memory/estimate';
import type { TermName } from '../../../src/core/models/terms';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { RunSpec } from '../../../src/core/spec/runSpec';
import { measurementOf } from '../../../src/profile/measure';
import { statedRun } from '../../eval/accuracy/stated';
import { axolotl, judge, worldWithModels } from '../core/support';

const GB = 2 ** 30;

/** Normally distributed numbers from a generator with `seed`, independent of the machine's randomness. */
function dice(seed: number): () => number {
  let state = seed >>> 0 || 1;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

const NAMES: readonly TermName[] = [
  'weights',
  'activations',
  'logits and loss',
  'allocator slack',
  'cuda context',
];

const termsOf = (sums: readonly number[]): readonly Term[] =>
  NAMES.map((term, i) => ({ term, bytes: (sums[i] ?? 0) * GB, formula: '', from: [] }));

const total = (terms: readonly Term[]): number => terms.reduce((sum, { bytes }) => sum + bytes, 0);

const predictedSums = (terms: readonly Term[]): Record<string, number> =>
  Object.fromEntries(terms.map(({ term, bytes }) => [term, bytes]));

let runs = 0;

/** Each is a separate run. */
function taken(terms: readonly Term[], bytes: number, more: Partial<Measurement> = {}): Measurement {
  runs += 1;
  return {
    schema: 'headroom-measurement/1',
    at: new Date(Date.UTC(2026, 0, 1) + runs).toISOString(),
    source: 'job',
    config: 'a.yaml',
    framework: 'trl',
    frameworkVersion: '1.0',
    versions: {},
    family: 'llama',
    gpu: null,
    features: {},
    rows: { batch: 1, sequence: null, sequences: null },
    metric: 'device',
    bytes,
    terms: null,
    predicted: { metric: 'device', bytes: total(terms), terms: predictedSums(terms), by: '1' },
    ...more,
  };
}

/** A key whose terms really deviate by some shares, and its runs. */
interface World {
  readonly shares: readonly number[];
  readonly runs: readonly { readonly terms: readonly Term[]; readonly really: number }[];
}

/** The uncertainty that the correction assumes between terms. */
const UNSURE = [0.02, 0.2, 0.2, 0.5, 0.15];
const DEVIATION = 0.08;

function worldFrom(seed: number, count: number): World {
  const normal = dice(seed);
  const base = [8, 4, 3, 2, 0.5];
  const runs = Array.from({ length: count }, (_, i) =>
    termsOf(base.map((gb, j) => (j === 1 || j === 2 ? gb * (0.5 + i * 0.3) : gb))),
  );
  const [first = []] = runs;
  const scale =
    (Math.sqrt(0.75) * DEVIATION * total(first)) /
    Math.hypot(...first.map(({ bytes }, i) => bytes * (UNSURE[i] ?? 0)));
  const shares = UNSURE.map(unsure => unsure * scale * normal());
  // Half of the deviation belongs to each config itself.
  const really = (terms: readonly Term[]): number =>
    terms.reduce((sum, { bytes }, i) => sum + bytes * (1 + (shares[i] ?? 0)), 0) +
    total(terms) * (0.5 * DEVIATION * normal() + 0.02 * normal());
  return { shares, runs: runs.map(terms => ({ terms, really: really(terms) })) };
}

/** The first runs are measured; checks the answer for the last. */
function heldOut(world: World): { error: number; before: number; covered: boolean } {
  const last = world.runs.at(-1);
  assert.ok(last);
  const measured = world.runs.slice(0, -1).map(({ terms, really }) => taken(terms, really));
  const deviation = DEVIATION * total(last.terms);
  const correction = correctionOf(last.terms, deviation, measured);
  assert.ok(correction);
  const said = last.terms.reduce(
    (sum, { term, bytes }) => sum + bytes * (1 + (correction.shares[term] ?? 0)),
    0,
  );
  const noise = 0.02 * said;
  const half = 1.645 * Math.hypot(deviation * correction.left, noise);
  return {
    error: Math.abs(said / last.really - 1),
    before: Math.abs(total(last.terms) / last.really - 1),
    covered: Math.abs(said - last.really) <= half,
  };
}

describe('what measurements teach', () => {
  it('is no worse than nothing on held-out runs, and covers nine in ten of them', () => {
    const worlds = Array.from({ length: 1_000 }, (_, seed) => heldOut(worldFrom(seed * 7_919 + 1, 6)));
    const mean = (of: (one: ReturnType<typeof heldOut>) => number): number =>
      worlds.reduce((sum, one) => sum + of(one), 0) / worlds.length;
    assert.ok(mean(one => one.error) < 0.8 * mean(one => one.before), `${mean(one => one.error)}`);
    const covered = worlds.filter(one => one.covered).length / worlds.length;
    assert.ok(covered > 0.87 && covered < 0.96, `${covered}`);
    const worse = worlds.filter(({ error, before }) => error > before + 0.04).length / worlds.length;
    assert.ok(worse < 0.1, `${worse}`);
  });

  it('moves less than one measurement says, and more with each that says the same', () => {
    const terms = termsOf([8, 4, 3, 2, 0.5]);
    const said = [1, 2, 4, 8].map(count => {
      const measured = Array.from({ length: count }, () => taken(terms, total(terms) * 1.1));
      const found = correctionOf(terms, DEVIATION * total(terms), measured);
      assert.ok(found);
      return (
        terms.reduce((sum, { term, bytes }) => sum + bytes * (found.shares[term] ?? 0), 0) / total(terms)
      );
    });
    assert.ok(said.every((share, i) => share > (said[i - 1] ?? 0) && share < 0.1));
  });

  it('is narrower with each measurement, never wider', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.7, max: 1.4, noNaN: true }), { maxLength: 6 }), factors => {
        const terms = termsOf([8, 4, 3, 2, 0.5]);
        let before = 1;
        factors.forEach((_, i) => {
          const measured = factors.slice(0, i + 1).map(factor => taken(terms, total(terms) * factor));
          const found = correctionOf(terms, DEVIATION * total(terms), measured);
          assert.ok(found && found.left <= before + 1e-9);
          before = found.left;
        });
      }),
    );
  });

  it('leaves a term alone that no measurement has in it', () => {
    const terms = termsOf([8, 0, 0, 0, 0.5]);
    const found = correctionOf(termsOf([8, 4, 3, 2, 0.5]), GB, [taken(terms, 9 * GB)]);
    assert.equal(found?.shares.activations, 0);
  });
});

const CONFIG = axolotl();

async function judged(text: string): ReturnType<typeof judge> {
  return judge({ 'a.yaml': text });
}

async function question(text = CONFIG): Promise<Parameters<typeof learned>[0]> {
  const [found] = (await judged(text)).runs;
  assert.ok(found?.estimate);
  const { run, model, target, estimate } = found;
  return { run, model, target, result: { ok: true, estimate } };
}

async function measuredOf(
  text: string,
  factor: number,
  more: Partial<Measurement> = {},
): Promise<Measurement> {
  const [found] = (await judged(text)).runs;
  const device = found?.estimate?.devices[0];
  assert.ok(found && device);
  const bytes = device.device.expected * factor;
  const gpu = found.target?.gpu?.name ?? null;
  const taken = {
    source: 'job',
    at: new Date(0),
    metric: 'device',
    bytes,
    terms: null,
    versions: {},
    gpu,
    by: '1',
  } as const;
  return { ...measurementOf(found, taken), ...more };
}

const bytesIn = (found: ReturnType<typeof learned>): number =>
  found.result.ok ? (found.result.estimate.devices[0]?.device.expected ?? 0) : 0;

describe('an estimate beside measurements', () => {
  it('is what the run itself took, and says so; its rows still add up', async () => {
    const asked = await question();
    const found = learned(asked, { measurements: [await measuredOf(CONFIG, 1.2)], by: '1' });
    assert.equal(found.evidence?.kind, 'measured');
    const device = found.result.ok ? found.result.estimate.devices[0] : undefined;
    assert.ok(device);
    assert.ok(Math.abs(bytesIn(found) / bytesIn({ ...found, result: asked.result }) - 1.2) < 1e-6);
    assert.ok(Math.abs(total(device.terms) - device.device.expected) < 1024);
    assert.ok(device.device.high / device.device.expected < 1.04);
  });

  it('is each GPU’s own amount where each was seen; else the others keep their computed share of the highest', async () => {
    const asked = await question();
    assert.ok(asked.result.ok);
    const [first] = asked.result.estimate.devices;
    assert.ok(first);
    const half = {
      low: first.device.low / 2,
      expected: first.device.expected / 2,
      high: first.device.high / 2,
    };
    const devices = [first, { ...first, device: half }];
    const two = { ...asked, result: { ok: true as const, estimate: { ...asked.result.estimate, devices } } };
    const one = await measuredOf(CONFIG, 1.2);
    const amounts = (more: Partial<Measurement>): readonly number[] => {
      const { result } = learned(two, { measurements: [{ ...one, ...more }], by: '1' });
      return result.ok ? result.estimate.devices.map(({ device }) => Math.round(device.expected)) : [];
    };
    assert.deepEqual(amounts({}), [Math.round(one.bytes), Math.round(one.bytes / 2)]);
    const seen = [one.bytes, one.bytes * 0.9];
    assert.deepEqual(amounts({ devices: seen }), seen.map(Math.round));
  });

  it('counts several metrics of one run once', async () => {
    const asked = await question();
    const device = await measuredOf(axolotl({ micro_batch_size: 32 }), 1.3);
    const said = (measurements: readonly Measurement[]): number =>
      learned(asked, { measurements, by: '1' }).evidence?.points ?? 0;
    assert.equal(said([device, { ...device, metric: 'reserved' }, { ...device, metric: 'allocated' }]), 1);
    assert.equal(said([device, { ...device, at: '2026-03-01T00:00:00Z' }]), 2);
  });

  it('is moved by runs of its like, and only by those: other framework, release, family, GPU or Headroom change nothing', async () => {
    const asked = await question();
    const other = await measuredOf(axolotl({ micro_batch_size: 32 }), 1.3);
    const moved = learned(asked, { measurements: [other], by: '1' });
    assert.equal(moved.evidence?.kind, 'corrected');
    assert.ok(bytesIn(moved) > bytesIn({ ...moved, result: asked.result }) * 1.02);
    for (const stranger of [
      { framework: 'trl' },
      { frameworkVersion: '0.0.1' },
      { family: 'bert' },
      { gpu: 'NVIDIA A100-SXM4-80GB' },
      { predicted: other.predicted && { ...other.predicted, by: '2' } },
    ]) {
      const found = learned(asked, { measurements: [{ ...other, ...stranger }], by: '1' });
      assert.equal(found.evidence, null, JSON.stringify(stranger));
      assert.equal(found.result, asked.result);
    }
  });

  it('is no longer said to be of an unknown model once the run was measured', async () => {
    const text = axolotl({ base_model: 'nobody/unheard-of' });
    const unknown = (await judged(text)).runs[0];
    assert.ok(unknown);
    assert.ok(unknown.findings.some(({ rule }) => rule === 'unknown-model'));
    const measured = taken([], 12 * GB, {
      framework: unknown.run.framework.name,
      features: featuresOf(unknown.run),
      rows: rowsOf(unknown.run),
      predicted: null,
    });
    const near = () => Promise.resolve({ measurements: [measured], dependencies: [], by: '1' });
    const world = { ...worldWithModels({ 'a.yaml': text }), measurements: { near } };
    const options = { target: unknown.target, severities: {} };
    const [known] = (await analyze('a.yaml', text, world, options, { aborted: false })).runs;
    assert.equal(known?.evidence?.kind, 'measured');
    assert.ok(known.estimate?.devices[0]?.device.expected === 12 * GB);
    assert.ok(!known.findings.some(({ rule }) => rule === 'unknown-model'));
  });

  it('is as unsure of a dry run as of what was added to it, and says what that is', async () => {
    const asked = await question();
    const dry = await measuredOf(CONFIG, 1, { source: 'dry run', metric: 'allocated' });
    const width = (more: Partial<Measurement>): number => {
      const { result } = learned(asked, { measurements: [{ ...dry, ...more }], by: '1' });
      const device = result.ok ? result.estimate.devices[0]?.allocated : undefined;
      assert.ok(device);
      return (device.high - device.low) / device.expected;
    };
    const added = { what: ['a fused RMSNorm'], bytes: -dry.bytes / 2 };
    assert.ok(Math.abs(width({}) - 0.04) < 1e-3);
    const [device] = asked.result.ok ? asked.result.estimate.devices : [];
    assert.ok(device);
    const computed = (device.allocated.high - device.allocated.low) / device.allocated.expected;
    assert.ok(width({ added }) > 0.041 && width({ added }) < 0.04 + computed);
    const { evidence } = learned(asked, { measurements: [{ ...dry, added }], by: '1' });
    assert.match(evidence?.says ?? '', /, with a fused RMSNorm as computed \(/);
    assert.deepEqual(readMeasurements(measurementLine({ ...dry, added })).measurements, [{ ...dry, added }]);
  });

  it('reads what it wrote, line by line, past lines that are none', async () => {
    const one = await measuredOf(CONFIG, 1);
    const text = `${measurementLine(one)}{"schema": "headroom-measu\n${measurementLine(one)}`;
    assert.deepEqual(readMeasurements(text), { measurements: [one, one], unread: 1 });
  });
});

const atRelease = (version: string, bytes: number, at: string): Measurement =>
  taken([], bytes, { at, versions: { transformers: version, torch: '2.6' } });

describe('a change of releases', () => {
  it('is named where it costs memory', () => {
    const found = regressionIn([
      atRelease('4.49', 20 * GB, '2026-01-01'),
      atRelease('4.49', 20.2 * GB, '2026-01-02'),
      atRelease('4.50', 22.2 * GB, '2026-02-01'),
    ]);
    assert.equal(found, 'after transformers 4.50 (from 4.49) this config needs 2.1 GB more');
  });

  it('is none where it is within what repeated runs differ by', () => {
    const near = [atRelease('4.49', 20 * GB, '2026-01-01'), atRelease('4.50', 20.5 * GB, '2026-02-01')];
    assert.equal(regressionIn(near), null);
    assert.equal(regressionIn(near.slice(0, 1)), null);
  });
});

/** An unknown model at a given batch size. */
function unknownRun(batch: number): RunSpec {
  const framework = { id: null, name: 'own', version: null };
  return statedRun('own', framework, { model: 'naics-embedder', microBatchSize: batch, method: 'lora' }, {});
}

const POINTS = [
  [45, 19.8],
  [64, 26.5],
  [82, 33.9],
  [128, 51.5],
] as const;

function throughPoints(
  points: readonly (readonly [number, number])[],
  batch: number,
): ReturnType<typeof learned> {
  const measurements = points.map(([measured, gb]) =>
    taken([], gb * GB, {
      framework: 'own',
      frameworkVersion: null,
      family: null,
      features: featuresOf(unknownRun(measured)),
      rows: { batch: measured, sequence: null, sequences: null },
      predicted: null,
    }),
  );
  const run = unknownRun(batch);
  const result = estimateRun(run, null, null);
  assert.ok(!result.ok);
  return learned({ run, model: null, target: null, result }, { measurements, by: '1' });
}

/** Two measured points of the training guide, or all but one. */
const CHOICES = [
  ...POINTS.flatMap((one, i) => POINTS.slice(i + 1).map(other => [one, other])),
  ...POINTS.map(left => POINTS.filter(point => point !== left)),
];

describe('a model that nobody knows', () => {
  for (const points of CHOICES) {
    const batches = points.map(([batch]) => batch);
    const bound = 0.05;
    it(`lies on the line through the training guide’s batches of ${batches.join(', ')}: its other points within ${bound * 100} %, and in the interval`, () => {
      for (const [batch, gb] of POINTS) {
        const found = throughPoints(points, batch);
        assert.equal(found.evidence?.kind, batches.includes(batch) ? 'measured' : 'fitted');
        assert.ok(Math.abs(bytesIn(found) / (gb * GB) - 1) < bound, `${batch}: ${bytesIn(found) / GB}`);
        const device = found.result.ok ? found.result.estimate.devices[0]?.device : undefined;
        assert.ok(device && device.low <= gb * GB && gb * GB <= device.high);
      }
    });
  }

  it('stays unknown with one measurement of other rows', () => {
    const run = unknownRun(32);
    const result = estimateRun(run, null, null);
    const one = taken([], GB, {
      features: featuresOf(unknownRun(45)),
      rows: { batch: 45, sequence: null, sequences: null },
    });
    const found = learned({ run, model: null, target: null, result }, { measurements: [one], by: '1' });
    assert.equal(found.evidence, null);
  });
});
