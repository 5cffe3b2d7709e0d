import assert from 'node:assert/strict';
import { comparePlaces, sortedPlaces } from '../../src/core/plan/places/compare';
import type { ComparedPlace } from '../../src/core/plan/places/fit';
import { machinePlaces, typePlace } from '../../src/core/compare/place';
import type { Place } from '../../src/core/compare/place';
import { compareNotes, comparePage, compareText, countsText, hereText } from '../../src/core/render/compare';
import { compareAsJson } from '../../src/core/render/compareJson';
import { plainPaint } from '../../src/core/text/terminal';
import type { RunAnalysis } from '../../src/core/rules/analysis';
import { axolotl, judged, target } from '../unit/core/support';
import { golden } from './configs';

const FILE = 'config.yaml';
const OPTIONS = { margin: 0.85, mayTrade: true, details: true };
const present = (name: string, count: number, busyMiB: number) => ({
  ...target(name, count),
  busyMiB,
  kind: 'present' as const,
});

/** A machine with a free card and a busy one, a host, a part of a cluster, and some types. */
const places: readonly Place[] = [
  ...machinePlaces(
    'local',
    { id: 'local', name: 'here' },
    [present('RTX 4090', 1, 0), present('RTX 4090', 1, 20_000)],
    null,
  ),
  ...machinePlaces(
    'ssh',
    { id: 'ssh:box', name: 'box' },
    [present('A100 80GB PCIe', 2, 30_000), present('A100 80GB PCIe', 2, 0)],
    null,
  ),
  {
    id: 'slurm:hpc/gpu',
    kind: 'slurm',
    where: 'hpc, gpu',
    target: target('H100 SXM', null),
    gpus: 16,
    free: 6,
    note: '2 nodes drained',
  },
  ...['T4', 'RTX 3090', 'L40S', 'A100 40GB', 'H200'].map(name => typePlace(target(name))),
];

async function rowsOf(text: string): Promise<{ run: RunAnalysis; rows: readonly ComparedPlace[] }> {
  const run = await judged(text);
  const rows = await comparePlaces(run, places, OPTIONS, () => Promise.resolve(), { aborted: false });
  assert.ok(rows);
  return { run, rows: sortedPlaces(rows) };
}

describe('golden: a comparison', () => {
  const one = { rows: [] as readonly ComparedPlace[] };
  before(async () => {
    one.rows = (await rowsOf(axolotl())).rows;
  });

  it('as a table', () => {
    const { rows } = one;
    const head = `${hereText(rows) ?? ''}\n${countsText(rows)}`;
    golden(
      'compare/table.txt',
      [head, compareText(rows, FILE, plainPaint).raw, ...compareNotes(rows, null), ''].join('\n'),
    );
  });

  it('as a page', () => {
    const { rows } = one;
    golden(
      'compare/page.md.txt',
      `${comparePage(rows, { title: 'Where config.yaml fits', file: FILE, left: null }).source}\n`,
    );
  });

  it('as JSON', async () => {
    const { run, rows } = await rowsOf(axolotl({ micro_batch_size: 2, devices: 4 }));
    golden('compare/places.json.txt', `${JSON.stringify(compareAsJson(FILE, run, rows), null, 2)}\n`);
  });
});

describe('the sentence about GPUs that are here', () => {
  const small = axolotl({ base_model: 'TinyLlama/TinyLlama-1.1B-Chat-v1.0', micro_batch_size: 1 });
  const here = async (
    targets: readonly ReturnType<typeof present>[],
    host: string | null = null,
  ): Promise<string | null> => {
    const named = host === null ? { id: 'local', name: '' } : { id: `ssh:${host}`, name: host };
    const places = machinePlaces(host === null ? 'local' : 'ssh', named, targets, null);
    const rows = await comparePlaces(await judged(small), places, OPTIONS, () => Promise.resolve(), {
      aborted: false,
    });
    return hereText(rows ?? []);
  };

  it('counts the GPUs that fit the run', async () => {
    assert.equal(await here([]), null);
    assert.equal(await here([present('RTX 4090', 1, 0)]), "fits on this machine's GPU now");
    assert.equal(await here([present('RTX 4090', 1, 23_500)]), "does not fit this machine's GPU now");
    assert.equal(
      await here([present('RTX 4090', 2, 0), present('RTX 4090', 6, 23_500)]),
      'fits on 2 of 8 GPUs here now',
    );
    assert.equal(await here([present('RTX 4090', 8, 23_500)]), 'fits on none of the 8 GPUs here now');
  });

  it('names their machine if it is only one', async () => {
    assert.equal(await here([present('RTX 4090', 1, 0)], 'gpu-box'), 'fits on the GPU of gpu-box now');
    assert.equal(
      await here([present('RTX 4090', 8, 23_500)], 'gpu-box'),
      'fits on none of the 8 GPUs of gpu-box now',
    );
  });
});
