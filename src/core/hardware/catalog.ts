import { factsOf } from '../data/rows';
import type { CatalogData, FactTable } from '../data/rows';
import type { GpuMatch, GpuSource } from './match';
import type { GpuFacts, Rates } from './gpu';
import { GpuNames } from './match';

/** The GPU catalog (`data/gpus.json`), decoded. */
export class GpuCatalog implements GpuSource {
  private readonly gpus: readonly GpuFacts[];
  private taken: GpuNames | null = null;

  constructor(data: CatalogData) {
    this.gpus = data.groups.flatMap(group => group.rows.map(row => gpuFacts(factsOf(data, group, row))));
  }

  /** Names are parsed on the first lookup by name. */
  private get names(): GpuNames {
    this.taken ??= new GpuNames(this.gpus);
    return this.taken;
  }

  all(): readonly GpuFacts[] {
    return this.gpus;
  }

  find(name: string): GpuFacts | null {
    const match = this.match(name);
    return match.kind === 'one' ? match.gpu : null;
  }

  match(name: string): GpuMatch {
    return this.names.match(name);
  }

  ofDevice(name: string, totalMiB: number | null): GpuFacts | null {
    return this.names.ofDevice(name, totalMiB);
  }
}

function gpuFacts(table: FactTable): GpuFacts {
  const number = (name: string) => (table[name] as number | undefined) ?? null;
  const text = (name: string) => (table[name] as string | undefined) ?? null;
  const [bf16, fp8, flashAttention2, mig] = (table['supports'] ?? []) as readonly number[];
  const flag = (value: number | undefined) => (value === undefined ? null : value === 1);
  const profiles = (table['mig'] ?? []) as readonly (readonly [string, number | null])[];
  return {
    name: table['name'] as string,
    label: table['label'] as string,
    aliases: text('aliases')?.split('|').filter(Boolean) ?? [],
    vendor: table['vendor'] as GpuFacts['vendor'],
    architecture: text('architecture'),
    computeCapability: text('computeCapability'),
    form: text('form'),
    marketingGB: number('marketingGB'),
    memoryMiB: number('memoryMiB'),
    memoryBasis: (table['memoryBasis'] as GpuFacts['memoryBasis'] | undefined) ?? null,
    otherTotalsMiB: (table['otherTotalsMiB'] ?? []) as readonly number[],
    usableMiB: number('usableMiB'),
    unified: table['unified'] === true,
    mig: profiles.map(([profile, memoryMiB]) => ({ profile, memoryMiB })),
    contextMiB: number('contextMiB'),
    bandwidthGBs: number('bandwidthGBs'),
    rates: ratesOf(table['rates'] as readonly number[] | undefined),
    powerW: number('powerW'),
    nvlinkGBs: number('nvlinkGBs'),
    supports: {
      bf16: flag(bf16),
      fp8: flag(fp8),
      flashAttention2: flag(flashAttention2),
      mig: flag(mig),
    },
  };
}

/** Zero stands for no rate. */
function ratesOf(rates: readonly number[] | undefined): Rates | null {
  if (!rates) return null;
  const [fp32 = null, tf32 = null, half = null, fp8 = null, int8 = null] = rates.map(rate => rate || null);
  return { fp32, tf32, half, fp8, int8 };
}
