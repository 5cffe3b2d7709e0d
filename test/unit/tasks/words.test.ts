import assert from 'node:assert/strict';
import { rayWatch } from '../../../src/gpu/clusters';
import { idOf, readHosts } from '../../../src/gpu/hosts';
import { definitionOf, taskOf } from '../../../src/tasks/definition';
import {
  figureText,
  memoryText,
  ownLine,
  partCards,
  paceText,
  progressText,
  shareOf,
  TerminalText,
  timeText,
} from '../../../src/tasks/jobText';
import { placeOfCompared, placeOfWord, wordOfPlace } from '../../../src/tasks/place';
import type { PredictedSum } from '../../../src/core/learn/measurement';
import type { Metric } from '../../../src/core/models/terms';
import type { JobPeak, JobRecord } from '../../../src/jobs/job';
import type { JobView } from '../../../src/jobs/jobs';
import { record } from './support';

describe('places of jobs in tasks', () => {
  const words = ['here', 'ssh:gpu-box', 'slurm', 'slurm:a100', 'slurm:a100@login', 'slurm@login'];
  const image = 'kubernetes:registry.lab:5000/trainer@sha256:1f';
  const elsewhere = ['ray:http://127.0.0.1:8265', image, `${image}?context=a+b&folder=%2Fdata&claim=data`];
  for (const word of [...words, ...elsewhere]) {
    it(`${word} is read and written back`, () => {
      const place = placeOfWord(word);
      assert.ok(place);
      assert.equal(wordOfPlace(place), word);
    });
  }

  it('cannot become options or shell words', () => {
    for (const word of [
      'ssh:-oProxyCommand=x',
      'slurm:-x',
      'slurm:a@-b',
      'slurm:a b',
      'ray:file:///etc',
      'there',
      'kubernetes:',
      'kubernetes:image?privileged=true',
    ]) {
      assert.equal(placeOfWord(word), null, word);
    }
  });

  it('are those of a comparison', () => {
    assert.deepEqual(placeOfCompared('ssh', 'ssh:box/0'), { engine: 'ssh', alias: 'box', folder: null });
    assert.deepEqual(placeOfCompared('slurm', 'slurm:local/a100/a100'), {
      engine: 'slurm',
      alias: null,
      partition: 'a100',
    });
    assert.deepEqual(placeOfCompared('slurm', 'slurm:login/a100/h100'), {
      engine: 'slurm',
      alias: 'login',
      partition: 'a100',
    });
    assert.deepEqual(placeOfCompared('ray', 'ray:10.0.0.7:8265/node/L4'), {
      engine: 'ray',
      address: 'http://10.0.0.7:8265',
    });
    assert.equal(placeOfCompared('catalog', 'catalog/A40'), null);
  });

  for (const ray of [
    'http://10.0.0.7:8265',
    'https://ray.lab',
    'https://ray.lab:8443',
    'https://lab/ray%20a/b',
  ]) {
    it(`of a dashboard are at its own address: ${ray}`, () => {
      const { specs } = readHosts([{ ray }]);
      const [spec] = specs;
      assert.ok(spec);
      const watched = rayWatch({ address: ray });
      assert.ok(watched.ok);
      assert.equal(watched.watch.host.id, idOf(spec));
      assert.deepEqual(placeOfCompared('ray', `${idOf(spec)}/node/L4`), { engine: 'ray', address: ray });
    });
  }
});

const wrong = (given: Readonly<Record<string, unknown>>): string => {
  const task = taskOf(given);
  assert.ok(typeof task === 'string');
  return task;
};

describe('definitions of tasks', () => {
  it('have defaults, and are written without them', () => {
    const task = taskOf({ type: 'headroom', kind: 'train', config: 'a.yml' });
    assert.ok(typeof task !== 'string');
    assert.equal(task.place, 'here');
    assert.deepEqual(definitionOf(task), { type: 'headroom', kind: 'train', config: 'a.yml' });
  });

  it('report their errors', () => {
    assert.match(wrong({ kind: 'bake' }), /^“kind” must be one of train, embed, profile/);
    assert.match(wrong({ kind: 'train', place: 'ssh:-x' }), /“place” "ssh:-x" is not valid/);
    assert.match(wrong({ kind: 'train', gpus: 1.5 }), /“gpus”/);
    assert.match(wrong({ kind: 'train', args: 'a b' }), /“args” must be a list/);
  });
});

describe("Headroom's own line in a job's terminal", () => {
  it('stays a line of text, whatever a job is called', () => {
    const line = ownLine('run \u001b[2K\r\u001b]8;;https://evil.example\u0007 \u009b31m\u202e\nnext');
    assert.match(line, /^\u001b\[3m[^\p{Cc}\p{Cf}\n]*\u001b\[0m\r\n$/u);
    assert.ok(line.includes(String.raw`run \x1b[2K`), line);
  });
});

describe("a job's output in a terminal", () => {
  const shown = (...pieces: readonly string[]): string => {
    const text = new TerminalText();
    return pieces.map(piece => text.take(new TextEncoder().encode(piece))).join('');
  };

  it('has carriage returns before line feeds, once, wherever it is cut', () => {
    assert.equal(shown('a\nb\r\nc'), 'a\r\nb\r\nc');
    assert.equal(shown('a\r', '\nb', '\n', 'c'), 'a\r\nb\r\nc');
    assert.equal(shown('10%\r', '20%\r30%'), '10%\r20%\r30%');
  });

  it('keeps characters that are cut in two', () => {
    const bytes = new TextEncoder().encode('█é\n');
    const text = new TerminalText();
    assert.equal([...bytes].map(byte => text.take(Uint8Array.of(byte))).join(''), '█é\r\n');
  });
});

describe('texts about jobs', () => {
  it('show times as people do', () => {
    assert.deepEqual([0.4, 59, 60, 3599, 3600, 3900, 86_400, 200_000].map(timeText), [
      '0 s',
      '59 s',
      '1 min',
      '1 h',
      '1 h',
      '1 h 5 min',
      '1 d',
      '2 d 7 h',
    ]);
  });

  it('have only significant digits', () => {
    assert.deepEqual([0, 1.23456, 0.00002, 12_345.6].map(figureText), ['0', '1.235', '2.0e-5', '12,346']);
  });

  it('show progress, and nothing unknown', () => {
    const progress = { step: 1240, totalSteps: 5000, loss: 1.234, etaSeconds: 720, tokensPerSecond: 3400 };
    assert.equal(
      progressText(record({ state: 'running' }), progress),
      '1,240 of 5,000 · loss 1.234 · 3,400 tokens/s · 12 min left',
    );
    assert.equal(progressText(record({ state: 'running' }), null), 'runs');
    assert.equal(
      progressText(record({ state: 'queued', message: 'waits for 18.2 GB' }), null),
      'waits for 18.2 GB',
    );
    assert.equal(shareOf({ step: 6, totalSteps: 5 }), 1);
    assert.equal(shareOf({ step: 6 }), null);
  });

  it('show the rate of a running training beside the computed one', () => {
    const pace = { low: 2, expected: 2.5, high: 4 };
    const said = { step: 7, secondsPerStep: 3.14 };
    assert.equal(paceText(record({ state: 'running', pace }), said), '3.14 s/step, predicted 2.5 (2–4)');
    assert.equal(paceText(record({ state: 'running' }), said), '3.14 s/step');
    assert.equal(paceText(record({ state: 'running', pace }), { step: 7 }), null);
    assert.equal(paceText(record({ state: 'succeeded', pace }), said), null);
    assert.equal(paceText(record({ state: 'running', kind: 'embed' }), said), null);
  });

  it('count texts and parts of an embedding', () => {
    const progress = { step: 1240, totalSteps: 5000, parts: 16, partsDone: 3, tokensPerSecond: 24_553 };
    const job = record({ state: 'running', kind: 'embed' });
    assert.equal(progressText(job, progress), '1,240 of 5,000 texts · 3 of 16 parts · 24,553 tokens/s');
    assert.equal(progressText(job, null), 'runs');
  });

  const GB = 2 ** 30;
  const estimate = {
    metric: 'device' as const,
    bytes: { low: 9 * GB, expected: 10 * GB, high: 11 * GB },
    verdict: 'fits' as const,
  };
  const peak = (metric: Metric, gigabytes: number): JobPeak => ({
    metric,
    bytes: gigabytes * GB,
    source: 'it',
  });
  const sum = (metric: Metric, gigabytes: number): PredictedSum => ({
    metric,
    bytes: gigabytes * GB,
    terms: {},
    by: '1',
  });
  const measured = {
    config: '',
    framework: '',
    frameworkVersion: null,
    family: null,
    features: {},
    rows: { batch: null, sequence: null, sequences: null },
    predicted: { device: sum('device', 10), reserved: sum('reserved', 9), allocated: sum('allocated', 8) },
  };

  it('show measured memory next to the prediction of the same metric', () => {
    const text = (...peaks: readonly JobPeak[]) => memoryText(record({ estimate, measured, peaks }));
    assert.equal(text(), 'predicted 10.0 GB');
    assert.equal(text(peak('allocated', 7), peak('device', 9.5)), 'predicted 10.0 GB, measured 9.5 GB');
    assert.equal(
      text(peak('allocated', 7), peak('reserved', 8.5), peak('reserved', 8)),
      'predicted 9.0 GB, measured 8.5 GB (torch reserved)',
    );
  });

  it('show no prediction next to a metric without one', () => {
    const peaks = [peak('allocated', 7)];
    assert.equal(memoryText(record({ estimate, peaks })), 'measured 7.0 GB (torch allocated)');
    assert.equal(memoryText(record()), null);
  });
});

describe("parts on a job's card", () => {
  const part = (number: number, more: Partial<JobRecord> = {}) => ({
    record: record({ id: `p${number}`, name: `embed texts.jsonl ${number}/2`, kind: 'embed', ...more }),
    progress: { step: 5, totalSteps: 50 },
    parts: [],
  });
  const whole = (parts: JobView['parts']): JobView => ({ record: record(), progress: { step: 60 }, parts });

  it('are as far as the total above them, whatever they reported last', () => {
    const told = whole([
      { rows: 20, rowsTotal: 50 },
      { rows: 40, rowsTotal: 50 },
    ]);
    const cards = partCards(told, [
      part(1),
      part(2, { place: { engine: 'ssh', alias: 'box', folder: null } }),
    ]);
    assert.deepEqual(
      cards.map(({ name, on, words, share }) => [name, on, words, share]),
      [
        ['1/2', 'this machine', '20 of 50', 0.4],
        ['2/2', 'box', '40 of 50', 0.8],
      ],
    );
  });

  it('are as far as they report if the total does not know', () => {
    assert.equal(partCards(whole([]), [part(2)])[0]?.words, '5 of 50');
    assert.equal(partCards(whole([{ rows: 1, rowsTotal: 2 }, null]), [part(2)])[0]?.words, '5 of 50');
    assert.equal(partCards(whole([{ rows: 3, rowsTotal: null }]), [part(1)])[0]?.words, 'step 3');
  });

  it('have a word and no number before and after', () => {
    const told = whole([{ rows: 20, rowsTotal: 50 }]);
    assert.equal(partCards(told, [part(1, { state: 'queued' })])[0]?.words, 'waits');
    const [done] = partCards(told, [part(1, { state: 'succeeded' })]);
    assert.deepEqual([done?.words, done?.share], ['succeeded', 1]);
  });
});
