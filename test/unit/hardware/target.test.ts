import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { CatalogData } from '../../../src/core/data/rows';
import { GpuCatalog } from '../../../src/core/hardware/catalog';
import type { Target } from '../../../src/core/hardware/gpu';
import { parseTarget, targetText } from '../../../src/core/hardware/target';
import type { TargetOptions } from '../../../src/core/hardware/target';
import { usableMiB } from '../../../src/core/hardware/usable';

const catalog = new GpuCatalog(JSON.parse(readFileSync('src/core/data/gpus.json', 'utf8')) as CatalogData);
const nothingSaid: TargetOptions = { count: null, nodes: 1 };

function target(text: string, options = nothingSaid): Target {
  const reading = parseTarget(text, catalog, options);
  assert.ok(reading.ok, reading.ok ? '' : reading.why);
  return reading.target;
}

function refusal(text: string, count: number | null = null): string {
  const reading = parseTarget(text, catalog, { count, nodes: 1 });
  assert.ok(!reading.ok, text);
  return reading.why;
}

describe('hardware: targets', () => {
  it('has words that it is read from again, whatever card it is', () => {
    const [unknown] = catalog.all().filter(gpu => gpu.memoryMiB === null);
    for (const gpu of catalog.all()) {
      const totalMiB = gpu.memoryMiB ?? 24_000;
      const words = targetText({ gpu, totalMiB }) ?? '';
      const read = target(words);
      assert.equal(read.totalMiB, totalMiB, words);
      assert.equal(read.gpu?.label, gpu.memoryMiB === null ? undefined : gpu.label, words);
    }
    assert.equal(targetText({ gpu: unknown ?? null, totalMiB: 24_000 }), '24000MiB');
    assert.equal(targetText({ gpu: null, totalMiB: 512 }), null);
  });

  it('is a card of the catalog at the size its tools show', () => {
    const { gpu, ...rest } = target('4090');
    assert.equal(gpu?.label, 'RTX 4090');
    assert.deepEqual(rest, {
      name: 'RTX 4090',
      totalMiB: 24564,
      usableMiB: 24207,
      busyMiB: 0,
      count: null,
      nodes: 1,
      kind: 'planned',
    });
  });

  it('is an amount of memory, which is binary', () => {
    for (const text of ['24GB', '24 GB', '24gb', '24 GiB', '24', '24G', '24576MiB', '24576 MB', '24.0']) {
      assert.equal(target(text).totalMiB, 24576, text);
      assert.equal(target(text).name, '24 GB', text);
      assert.equal(target(text).gpu, null, text);
    }
    assert.equal(target('23.5GB').totalMiB, 24064);
    assert.equal(target('23.5GB').name, '23.5 GB');
  });

  it('takes a count before or behind the name, but the one that was asked for wins', () => {
    assert.equal(target('2x A100 80GB').count, 2);
    assert.equal(target('8×H100').gpu?.label, 'H100 SXM');
    assert.equal(target('A100-80GB:8').count, 8);
    assert.equal(target('4 x 24GB').totalMiB, 24576);
    assert.equal(target('7900 XTX').count, null);
    assert.equal(target('2x A100 80GB', { count: 4, nodes: 2 }).count, 4);
    assert.equal(target('RTX 4090', { count: 4, nodes: 2 }).nodes, 2);
  });

  it('takes the amount that a machine is sold with where its GPU shares it, less what the system keeps', () => {
    for (const name of ['GB10', 'DGX Spark']) {
      const { totalMiB, usableMiB, gpu, name: label } = target(name);
      assert.deepEqual([label, totalMiB, gpu?.unified], ['GB10', 128 * 1024, true]);
      // MemTotal of a DGX Spark is 119 to 122 GiB.
      assert.ok(usableMiB >= 118 * 1024 && usableMiB <= 122 * 1024, String(usableMiB));
    }
    const orin = target('Jetson Orin NX 8GB');
    assert.ok(orin.usableMiB >= 7600 && orin.usableMiB <= 7900, String(orin.usableMiB));
  });

  it('says what to write instead', () => {
    assert.match(refusal(''), /^No GPU is named: write a name such as `RTX 4090`/);
    assert.match(refusal('RTX 4091'), /^No GPU named “RTX 4091” is known\. Did you mean RTX 4090, .* or /);
    assert.match(refusal('A100'), /may be A100 SXM4 40GB, A100 SXM4 80GB, .*: name the one you mean\.$/);
    assert.match(refusal('0'), /memory is not known/);
    assert.match(refusal('24TB'), /No GPU named/);
    assert.match(refusal('99999GB'), /write gigabytes/);
    assert.match(refusal('RTX 4090', 0), /at least one GPU/);
    assert.match(refusal('0x RTX 4090'), /at least one GPU/);
  });

  it('never throws and never has more usable than there is', () => {
    const written = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom('2x', 'GB', ':', '24GB:', 'x24', '1e9 GB'),
    );
    fc.assert(
      fc.property(written, text => {
        const reading = parseTarget(text, catalog, nothingSaid);
        if (reading.ok) assert.ok(reading.target.usableMiB <= reading.target.totalMiB);
        else assert.match(reading.why, /\.$/);
      }),
    );
  });
});

describe('hardware: usable memory', () => {
  const usable = (label: string) => {
    const gpu = catalog.find(label);
    assert.ok(gpu?.memoryMiB);
    return usableMiB(gpu, gpu.memoryMiB);
  };

  it('is what was measured on the card', () => {
    assert.equal(usable('RTX 4090'), 24207);
    assert.equal(usable('T4'), 14972);
  });

  it('is the total less what the driver keeps, by the rule', () => {
    assert.equal(usable('RTX 5080'), Math.floor(16303 - 400 - 0.0023 * 16303));
    assert.equal(usable('Tesla P40'), Math.floor(23040 - 45 - 0.0055 * 23040));
    assert.equal(usableMiB(null, 24576), Math.floor(24576 - 400 - 0.0023 * 24576));
  });

  it('comes within 1.2 % or 230 MiB of every card that was measured, without the measurement', () => {
    for (const gpu of catalog.all().filter(one => one.usableMiB !== null && one.memoryMiB !== null)) {
      const total = gpu.memoryMiB ?? 0;
      const ruled = usableMiB({ ...gpu, usableMiB: null }, total);
      assert.ok(
        Math.abs(ruled - (gpu.usableMiB ?? 0)) <= Math.max(230, 0.012 * total),
        `${gpu.label}: ${ruled}`,
      );
    }
  });

  it('is Metal’s share on Apple silicon, and the total where no rule is known', () => {
    assert.equal(usable('Apple M2 24GB'), 16384);
    assert.equal(usable('Apple M3 Max 64GB'), 49152);
    assert.equal(usable('MI300X'), 196592);
  });
});
