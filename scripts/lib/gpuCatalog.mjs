// Converts records of gpus.jsonl to the compact groups that src/core/hardware/catalog.ts reads. A group shares an
// architecture.
import { difference, groupBy, mostCommon, trimmed } from './groups.mjs';

/** Columns of a row, in order; trailing empty ones are omitted. `aliases` are joined by '|'. */
const columns = ['name', 'label', 'memoryMiB', 'bandwidthGBs', 'usableMiB', 'aliases', 'facts'];

const VENDORS = new Set(['NVIDIA', 'AMD', 'Intel', 'Apple']);

/** `NVIDIA A100-SXM4-80GB` → `A100 SXM4 80GB`: without vendors and product lines that people omit. */
function label(name) {
  return name
    .replace(/^(NVIDIA|AMD|Intel) /, '')
    .replace(/^(GeForce|Tesla|Instinct) /, '')
    .replace(/^Radeon RX/, 'RX')
    .replace(/ (Graphics|Generation)(?= |$)/g, '')
    .replace(/ Laptop GPU$/, ' Laptop')
    .replace(/ Workstation Edition$/, '')
    .replace(/^H100 80GB HBM3$/, 'H100 SXM')
    .replace(/-(?=SXM|PCIE|\d+GB)/gi, ' ')
    .replace(/PCIE/, 'PCIe');
}

/** The source of the total: seen in a tool's output, known to the author, or the advertised size. */
function basis(record) {
  if (record.memory_mib === null) return undefined;
  const word = record.memory_mib_basis ?? '';
  if (word === 'seen' || word === 'recalled') return word;
  return 'nominal';
}

function mig(record) {
  const profiles = record.mig_profiles.map(({ profile, memory_mib }) => [profile, memory_mib ?? null]);
  return profiles.length > 0 ? profiles : undefined;
}

/**
 * Dense tera-operations a second: in fp32, TF32, 16 bits as products with fp32 sums have it, fp8, int8. Without tensor cores a
 * product runs at the rate of vectors.
 */
function rates(record) {
  const half = record.bf16_tflops ?? record.fp16_tensor_tflops ?? record.fp16_vector_tflops;
  const all = [record.fp32_tflops, record.tf32_tflops, half, record.fp8_tflops, record.int8_tops];
  return all.some(rate => rate) ? all.map(rate => rate ?? 0) : undefined;
}

/** Facts besides the columns; false, null and empty ones are omitted. */
function facts(record) {
  const { supports } = record;
  const all = {
    vendor: VENDORS.has(record.vendor) ? record.vendor : 'other',
    computeCapability: record.compute_capability ?? undefined,
    form: record.form ?? undefined,
    marketingGB: record.memory_gb_marketing,
    memoryBasis: basis(record),
    otherTotalsMiB: record.memory_mib_variants.length > 0 ? record.memory_mib_variants : undefined,
    contextMiB: record.cuda_context_mib?.mib,
    unified: record.unified_memory ? true : undefined,
    mig: mig(record),
    rates: rates(record),
    powerW: record.tdp_w ?? undefined,
    nvlinkGBs: record.nvlink_gbs ?? undefined,
    supports: [supports.bf16, supports.fp8, supports.flash_attention_2, supports.mig].map(flag =>
      flag ? 1 : 0,
    ),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/**
 * A chip that is sold with several memory sizes gives one row each. One whose tool shows no total has no memory of
 * its own: it uses its machine's, which counts as sold.
 */
function options(record) {
  const sizes = record.unified_memory_gb ?? [];
  if (sizes.length < 2 && record.memory_mib !== null) return [record];
  if (sizes.length < 2) {
    const gb = record.memory_gb_marketing;
    return [{ ...record, unified_memory: true, memory_mib: gb === null ? null : gb * 1024 }];
  }
  return sizes.map(gb => ({
    ...record,
    name: `${record.name} ${gb}GB`,
    memory_gb_marketing: gb,
    memory_mib: gb * 1024,
    memory_mib_variants: [],
  }));
}

function row(record, own) {
  return trimmed([
    record.smi_name,
    label(record.name),
    record.memory_mib,
    record.memory_bandwidth_gbs ?? null,
    record.usable_mib ?? null,
    record.aliases.join('|'),
    own,
  ]);
}

function group(architecture, records) {
  const own = records.map(facts);
  const shared = mostCommon(own);
  return {
    shared: { architecture, ...shared },
    rows: records.map((record, index) => row(record, difference(own[index], shared))),
  };
}

export function gpuCatalog(records, from) {
  const rows = records.flatMap(options);
  const groups = [...groupBy(rows, record => record.architecture)].map(([name, list]) => group(name, list));
  const counts = {
    gpus: records.length,
    rows: rows.length,
    totalsSeen: rows.filter(record => record.memory_mib_basis === 'seen').length,
  };
  return { header: { generatedBy: 'scripts/catalog.mjs', from, counts, columns }, groups };
}
