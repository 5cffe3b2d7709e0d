import assert from 'node:assert/strict';
import { axolotl } from '../unit/core/support';
import { file, headroom, inTemporaryFolder } from './headroom';

inTemporaryFolder();

interface Printed {
  readonly schema: string;
  readonly places: readonly {
    readonly gpu: string;
    readonly answer: string;
    readonly usdPerHour: number | null;
    readonly takesGpus: number;
  }[];
}

const printed = (out: string): Printed => JSON.parse(out) as Printed;

describe('headroom compare', () => {
  it('compares the named types, and exits 0 if one fits the run', () => {
    file('a.yaml', axolotl());
    const { code, out, err } = headroom('compare', 'a.yaml', '--gpu', 'T4', 'RTX 4090', 'H200');
    assert.equal(code, 0);
    assert.equal(err, '');
    assert.match(out, /^a\.yaml: 1 fits, 2 fit it with a fix\n/);
    assert.match(out, /\| H200 +\| 140\.4 GB \| fits +\|/);
    assert.ok(out.indexOf('H200') < out.indexOf('RTX 4090'));
  });

  it('exits 1 if none fits, and 2 if nobody knows', () => {
    file('large.yaml', axolotl());
    file('unknown.yaml', axolotl({ base_model: 'nobody/knows-it' }));
    assert.equal(headroom('compare', 'large.yaml', '--gpu', '8GB', '24GB').code, 1);
    const unknown = headroom('compare', 'unknown.yaml', '--gpu', '24GB');
    assert.equal(unknown.code, 2);
    assert.match(unknown.err, /^unknown\.yaml: .*knows-it/);
  });

  it('sorts what takes the run by a column, and leaves out what costs more', () => {
    file('a.yaml', axolotl({ max_steps: 100 }));
    const costs = (...args: readonly string[]): readonly number[] => {
      const { out } = headroom('compare', 'a.yaml', ...args);
      const taking = out.split('\n').filter(line => /\| (?:fits|tight) +\|/.test(line));
      return taking.map(line => Number(/\| \$([\d.]+) +\|/.exec(line)?.[1]));
    };
    const byCost = costs('--sort', 'cost');
    assert.ok(byCost.length > 3);
    const most = byCost[2] ?? NaN;
    const fitting = byCost.slice(0, 3);
    assert.deepEqual(
      fitting,
      fitting.toSorted((a, b) => a - b),
    );
    const below = costs('--sort', 'time', '--below', String(most));
    assert.ok(below.length > 0 && below.length < byCost.length);
    assert.ok(below.every(cost => cost <= most));
  });

  it('compares with rentable types, and with all on request', () => {
    file('a.yaml', axolotl());
    const rented = printed(headroom('compare', 'a.yaml', '--json').out);
    assert.equal(rented.schema, 'headroom/1');
    assert.ok(rented.places.length > 20);
    assert.ok(rented.places.every(({ usdPerHour }) => usdPerHour !== null));
    const all = printed(headroom('compare', 'a.yaml', '--all', '--json').out);
    assert.ok(all.places.length > 250);
    assert.ok(all.places.some(({ usdPerHour }) => usdPerHour === null));
  });

  it('sums the price of all GPUs that the run takes', () => {
    file('a.yaml', axolotl());
    const one = printed(headroom('compare', 'a.yaml', '--gpu', 'L40S', '--json').out).places[0];
    const four = printed(headroom('compare', 'a.yaml', '--gpu', 'L40S', '--gpus', '4', '--json').out)
      .places[0];
    assert.equal(four?.takesGpus, 4);
    assert.ok(Math.abs((four.usdPerHour ?? 0) - 4 * (one?.usdPerHour ?? 0)) < 1e-9);
  });

  it('reports errors in one sentence', () => {
    file('a.yaml', axolotl());
    const gpu = headroom('compare', 'a.yaml', '--gpu', 'RTX 4091');
    assert.equal(gpu.code, 3);
    assert.match(gpu.err, /^--gpu RTX 4091: No GPU named “RTX 4091” is known\./);
    assert.equal(headroom('compare', 'nowhere.yaml').code, 3);
  });

  it('and optimize are about the run that is named, and say which there are', () => {
    const service = (name: string, length: number): string =>
      `  ${name}:\n    image: vllm/vllm-openai:v0.11.0\n` +
      `    command: --model Qwen/Qwen2.5-14B-Instruct --max-model-len ${length}\n` +
      '    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}\n';
    file('two.yaml', `services:\n${service('short', 2048)}${service('long', 32768)}`);
    assert.match(
      headroom('compare', 'two.yaml', '--run', 'short', '--gpu', '80GB').out,
      /^two\.yaml · short: /,
    );
    assert.match(
      headroom('optimize', 'two.yaml', '--run', 'long', '--gpu', '24GB').out,
      /^long: .* does not fit/,
    );
    assert.equal(
      headroom('optimize', 'two.yaml', '--run', 'other', '--gpu', '24GB').err.trim(),
      'two.yaml: no run named other. It has short, long.',
    );
    assert.match(
      headroom('optimize', '.', '--run', 'long', '--gpu', '24GB').err,
      /--run names a run of one file/,
    );
  });

  it('leaves out types that the framework does not run on, and says why', () => {
    file(
      'serve.yaml',
      'model: Qwen/Qwen2.5-0.5B-Instruct\nmax-model-len: 2048\ngpu-memory-utilization: 0.9\n',
    );
    const { out } = headroom('compare', 'serve.yaml', '--all');
    assert.doesNotMatch(out, /\| (?:TPU|Apple|M\d (?:Pro|Max|Ultra))/);
    assert.match(out, /Apple GPUs and TPUs are left out: \S+ runs on NVIDIA, AMD and Intel GPUs\./);
  });
});
