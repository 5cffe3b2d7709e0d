import assert from 'node:assert/strict';
import { RingHistory } from '../../../src/gpu/history';
import { blankSample, MEASURES } from '../../../src/gpu/sample';
import { cardsAsText } from '../../../src/panel/page/asText';
import { hostCard } from '../../../src/panel/page/cards';
import { exported } from '../../../src/panel/page/exported';
import {
  idle,
  local,
  NOW_MS,
  nvidia,
  onDevice,
  readingAt,
  sceneHost,
  ssh,
  status,
} from '../../webview/scenes';

const gpu = nvidia(3, 'NVIDIA H100, "80GB"', 81_559);
const named = { ...ssh('box'), name: '=cmd|x' };
const reading = readingAt(
  sceneHost(named, [
    {
      device: gpu,
      load: idle(41_500, 700),
      processes: [onDevice(gpu, 7, { memoryUsedMiB: 512, user: 'ann', name: 'a|b' })],
    },
  ]),
  0,
);

const history = new RingHistory();
history.add(named.id, [blankSample(gpu.key, NOW_MS, { utilPct: 12.5 })]);
history.add(named.id, [blankSample(gpu.key, NOW_MS + 1000, { utilPct: 0, memoryUsedMiB: 100 })]);

describe('panel: samples as a file', () => {
  it('are CSV rows: quoted if needed, no formulas, empty if not read', () => {
    const [head, first, second, end] = exported([hostCard(reading)], history, 'csv').split('\r\n');
    assert.equal(head, `host,gpu,name,time,${MEASURES.join(',')}`);
    const begin = `'=cmd|x,3,"NVIDIA H100, ""80GB""",2026-11-19T12:00:0`;
    assert.equal(first, `${begin}0.000Z,12.5${','.repeat(MEASURES.length - 1)}`);
    assert.equal(second, `${begin}1.000Z,0,,100${','.repeat(MEASURES.length - 3)}`);
    assert.equal(end, '');
  });

  it('are JSON without measures that were not read', () => {
    const { schema, hosts } = JSON.parse(exported([hostCard(reading)], history, 'json')) as {
      schema: string;
      hosts: { host: string; kind: string; state: string; gpus: { gpu: number; samples: unknown[] }[] }[];
    };
    assert.equal(schema, 'headroom-samples/1');
    const [host] = hosts;
    assert.deepEqual([host?.host, host?.kind, host?.state], ['=cmd|x', 'ssh', 'live']);
    assert.deepEqual(host?.gpus[0]?.samples, [
      { time: '2026-11-19T12:00:00.000Z', utilPct: 12.5 },
      { time: '2026-11-19T12:00:01.000Z', utilPct: 0, memoryUsedMiB: 100 },
    ]);
  });

  it('are empty if nothing was read', () => {
    assert.equal(exported([], new RingHistory(), 'csv').trim().split('\r\n').length, 1);
  });
});

describe('panel: GPUs as text', () => {
  it('are a table in which no name ends a cell', () => {
    const [head, , row] = cardsAsText([hostCard(reading)]).split('\n');
    assert.match(
      head ?? '',
      /\| Host +\| GPU \| Name +\| Memory +\| Busy \| Temperature \| Power \| Who +\|/,
    );
    assert.match(row ?? '', /\| =cmd\\\|x \| 3 .*\| 40\.5 GB of 80 GB \|.*\| ann: a\\\|b \(7\) 512 MB \|/);
  });

  it("show n/a for unread values, none for idle GPUs, and a host's problem", () => {
    const silent = readingAt(sceneHost(local, [{ device: gpu, load: null, processes: [] }]), 0);
    const down = readingAt(
      sceneHost(ssh('lab'), [], { status: status('auth-needed', { message: 'lab wants a login.' }) }),
      0,
    );
    const text = cardsAsText([silent, down].map(each => hostCard(each)));
    assert.match(text, /\| n\/a of 80 GB \| n\/a +\| n\/a +\| n\/a +\| none \|/);
    assert.match(text, /\nlab: auth-needed\. lab wants a login\.\n$/);
    assert.equal(cardsAsText([]), '\n');
  });
});
