import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { CatalogData } from '../../../src/core/data/rows';
import { GpuCatalog } from '../../../src/core/hardware/catalog';
import { distance, distinctiveWords, makerOf, nameWords, words } from '../../../src/core/hardware/tokens';

const catalog = new GpuCatalog(JSON.parse(readFileSync('src/core/data/gpus.json', 'utf8')) as CatalogData);

/** The label that a name means, all labels it may mean, or null. */
function meant(name: string): string | readonly string[] | null {
  const match = catalog.match(name);
  if (match.kind === 'none') return null;
  return match.kind === 'one' ? match.gpu.label : match.gpus.map(gpu => gpu.label);
}

describe('hardware: the catalog', () => {
  it('decodes the facts of a card', () => {
    const gpu = catalog.find('RTX 4090');
    assert.ok(gpu);
    assert.deepEqual(
      { ...gpu, bandwidthGBs: null, otherTotalsMiB: [] },
      {
        name: 'NVIDIA GeForce RTX 4090',
        label: 'RTX 4090',
        aliases: [],
        vendor: 'NVIDIA',
        architecture: 'Ada Lovelace',
        computeCapability: '8.9',
        form: 'PCIe',
        marketingGB: 24,
        memoryMiB: 24564,
        memoryBasis: 'seen',
        otherTotalsMiB: [],
        usableMiB: 24207,
        unified: false,
        mig: [],
        contextMiB: null,
        bandwidthGBs: null,
        rates: { fp32: 82.6, tf32: 82.6, half: 165.2, fp8: 660.8, int8: 660.8 },
        powerW: 450,
        nvlinkGBs: null,
        supports: { bf16: true, fp8: true, flashAttention2: true, mig: false },
      },
    );
  });

  it('has a label of its own for every card, and each label means its card', () => {
    const labels = catalog.all().map(gpu => gpu.label.toLowerCase());
    assert.equal(new Set(labels).size, labels.length);
    const wrong = catalog.all().filter(gpu => meant(gpu.label) !== gpu.label);
    assert.deepEqual(wrong, []);
  });

  it('reads no more names than a look at all of them needs, and misses none', () => {
    const all = catalog.all().flatMap(gpu => [gpu.label, ...gpu.aliases].map(name => ({ gpu, name })));
    const forms = fc.constantFrom('', ' PCIe', '_SXM4', ' 24GB', ' 80 GiB', ' Max-Q', ' Mobile');
    fc.assert(
      fc.property(fc.constantFrom(...all), forms, fc.boolean(), ({ gpu, name }, form, isLower) => {
        const query = isLower ? `${name}${form}`.toLowerCase() : `${name}${form}`;
        const asked = distinctiveWords(words(query));
        const maker = makerOf(words(query));
        const isNear = ({ gpu: one, name: other }: (typeof all)[number]): boolean =>
          (maker === null || one.vendor === maker) &&
          distance(asked, nameWords(other, one, words(one.form ?? ''))) !== null;
        if (asked.length === 0 || !isNear({ gpu, name })) return;
        assert.notEqual(meant(query), null, query);
      }),
    );
  });

  it('finds every card by what tools print, told apart by its memory', () => {
    const wrong = catalog
      .all()
      .flatMap(gpu => [gpu.name, ...gpu.aliases].map(name => ({ gpu, name })))
      .filter(({ gpu, name }) => catalog.ofDevice(name, gpu.memoryMiB) !== gpu);
    assert.deepEqual(wrong, []);
  });

  it('tells cards with one name apart by totals of other drivers, too', () => {
    assert.equal(catalog.ofDevice('NVIDIA GeForce RTX 3060', 12288)?.label, 'RTX 3060');
    assert.equal(catalog.ofDevice('NVIDIA GeForce RTX 3060', 12053)?.label, 'RTX 3060');
    assert.equal(catalog.ofDevice('NVIDIA GeForce RTX 3060', 8192)?.label, 'RTX 3060 8GB');
    assert.equal(catalog.ofDevice('NVIDIA GeForce RTX 3060', null), null);
    assert.equal(catalog.ofDevice('GeForce RTX 2080 Ti', null)?.label, 'RTX 2080 Ti');
    assert.equal(catalog.ofDevice('Apple M3 Max', 65536)?.label, 'Apple M3 Max 64GB');
    assert.equal(catalog.ofDevice('GRID T4-4C', 4096), null);
  });
});

describe('hardware: names people write', () => {
  const names: Readonly<Record<string, string>> = {
    'RTX 4090': 'RTX 4090',
    '4090': 'RTX 4090',
    rtx4090: 'RTX 4090',
    'NVIDIA GeForce RTX 4090': 'RTX 4090',
    'GeForce RTX 4090 24GB': 'RTX 4090',
    '4090 D': 'RTX 4090 D',
    'RTX 4090 Laptop GPU': 'RTX 4090 Laptop',
    'RTX 4090 mobile': 'RTX 4090 Laptop',
    '4070tisuper': 'RTX 4070 Ti SUPER',
    'rtx 4070ti': 'RTX 4070 Ti',
    'a100-80gb': 'A100 SXM4 80GB',
    'A100-SXM4-80GB': 'A100 SXM4 80GB',
    'NVIDIA A100 80GB PCIe': 'A100 80GB PCIe',
    'A100 40G': 'A100 SXM4 40GB',
    H100: 'H100 SXM',
    'H100-80GB': 'H100 SXM',
    'NVIDIA H100 80GB HBM3': 'H100 SXM',
    'H100-SXM5': 'H100 SXM',
    'h100 pcie': 'H100 PCIe',
    'h100-nvl': 'H100 NVL',
    '3080': 'RTX 3080',
    'RTX 3080 12GB': 'RTX 3080 12GB',
    'RTX 4060 Ti 8GB': 'RTX 4060 Ti',
    'RTX 4060 Ti 16 GB': 'RTX 4060 Ti 16GB',
    'tesla t4': 'T4',
    l40s: 'L40S',
    A10G: 'A10G',
    A6000: 'RTX A6000',
    'rtx 6000 ada': 'RTX 6000 Ada',
    'RTX PRO 6000': 'RTX PRO 6000 Blackwell',
    'rtx pro 6000 max-q': 'RTX PRO 6000 Blackwell Max-Q',
    mi300x: 'MI300X',
    '7900 xtx': 'RX 7900 XTX',
    'm3 max 64gb': 'Apple M3 Max 64GB',
    'DGX Spark': 'GB10',
    'A100-SXM4-40GB MIG 1g.5gb': 'A100 SXM4 40GB MIG 1g.5gb',
    'H200 MIG 1c.3g.71gb': 'H200 MIG 3g.71gb',
    '1g.5gb': 'A100 SXM4 40GB MIG 1g.5gb',
  };
  for (const [name, label] of Object.entries(names)) {
    it(`${name} is ${label}`, () => assert.equal(meant(name), label));
  }

  it('does not decide where memory differs', () => {
    assert.deepEqual(meant('A100'), ['A100 SXM4 40GB', 'A100 SXM4 80GB', 'A100 PCIe 40GB', 'A100 80GB PCIe']);
    assert.deepEqual(meant('GTX 1060'), ['GTX 1060 6GB', 'GTX 1060 3GB']);
    assert.deepEqual(meant('RTX 4000'), ['Quadro RTX 4000', 'RTX 4000 Ada', 'RTX PRO 4000 Blackwell']);
    assert.ok(Array.isArray(meant('1g.10gb')));
  });

  it('never takes a laptop for a desktop card, another maker, or another size', () => {
    for (const name of [
      'RX 4090',
      'RTX 7900 XTX',
      'RTX 4090 48GB',
      'RTX 2080 Max-Q',
      'A100 1g.99gb',
      'H100 laptop',
    ]) {
      assert.equal(meant(name), null, name);
    }
  });

  it('takes a plain name for the desktop card wherever there is one', () => {
    const labels = new Set(catalog.all().map(gpu => gpu.label));
    const plain = [...labels].filter(label => labels.has(`${label} Laptop`));
    assert.ok(plain.length > 15);
    for (const label of plain) assert.equal(meant(label), label);
    assert.equal(meant('RTX 3050 Ti'), 'RTX 3050 Ti Laptop');
  });

  it('knows nothing by makers and sizes alone', () => {
    for (const name of ['', ' ', 'NVIDIA', 'rtx', 'GPU', '24GB', '80 GiB', '---']) {
      assert.equal(meant(name), null, name);
    }
  });

  it('offers names that are near', () => {
    const match = catalog.match('RTX 4091');
    assert.ok(match.kind === 'none' && match.near.includes('RTX 4090'));
    assert.deepEqual(catalog.match('abacus'), { kind: 'none', near: [] });
  });

  it('minds neither case nor separators', () => {
    const anyLabel = fc.constantFrom(...catalog.all().map(gpu => gpu.label));
    const separator = fc.constantFrom(' ', '-', '_', '  ', '/');
    fc.assert(
      fc.property(anyLabel, separator, fc.boolean(), (label, between, upper) => {
        const written = label.replaceAll(' ', between);
        assert.equal(meant(upper ? written.toUpperCase() : written.toLowerCase()), label);
      }),
    );
  });

  it('never throws, and answers the same again', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), text => {
        assert.deepEqual(catalog.match(text), catalog.match(text));
      }),
    );
  });
});

const table = `${process.env['HEADROOM_SHARED'] ?? '../shared'}/catalog/gpus.jsonl`;

(existsSync(table) ? describe : describe.skip)('hardware: the source table (shared material)', () => {
  interface Line {
    readonly name: string;
    readonly smi_name: string;
    readonly aliases: readonly string[];
    readonly memory_mib: number | null;
    readonly memory_gb_marketing: number | null;
    readonly unified_memory_gb?: readonly number[];
  }

  it('agrees with the catalog on the memory of every card, by each of its names', () => {
    const lines = readFileSync(table, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as Line);
    const wrong = lines.flatMap(
      ({
        name,
        smi_name,
        aliases,
        memory_mib: shown,
        memory_gb_marketing: sold,
        unified_memory_gb: sizes,
      }) => {
        // A GPU without memory of its own counts with that of its machine.
        const total = shown ?? (sold === null ? null : sold * 1024);
        const printed = [smi_name, ...aliases].filter(
          one => catalog.ofDevice(one, total)?.memoryMiB !== total,
        );
        const match = catalog.match(name);
        const isOne = match.kind === 'one' && match.gpu.memoryMiB === total;
        const isSoldInSizes = match.kind === 'several' && match.gpus.length === sizes?.length;
        return isOne || isSoldInSizes ? printed : [name, ...printed];
      },
    );
    assert.deepEqual(wrong, []);
  });
});
