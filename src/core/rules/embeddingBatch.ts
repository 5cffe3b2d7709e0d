import { formatBytes, GIB } from '../units';
import { numberOf } from './raw';
import type { Rule } from './rule';
import { quoted, setKey } from './when';
import type { Say } from '../text/say';

// Rules of the embedding-batch guide for importers that pass texts to an embedder.

const IMPORT = 'import.embedding_batch_size';
const GPU = 'embeddings.batch_size';

export const embeddingBatchesDiffer: Rule = {
  id: 'embedding-batches-differ',
  severity: 'warning',
  summary: "The importer's batch size differs from the embedder's.",
  sources: ['embedding-batch guide, CPU Batch vs GPU Batch: “Must match embedding_batch_size”'],
  dialects: ['guide-embedding', 'embeddings'],
  check(context) {
    const passed = numberOf(context, IMPORT);
    const taken = numberOf(context, GPU);
    if (passed === null || taken === null || passed === taken) return [];
    const message = context.say(
      '{0} and {1} must be the same. Papers are embedded {2} at a time, but {3} are passed.',
      quoted(context, IMPORT),
      quoted(context, GPU),
      taken,
      passed,
    );
    return [{ at: [IMPORT, GPU], message, remedies: [setKey(IMPORT, taken)] }];
  },
};

const CPU = 'import.batch_size';

export const embeddingPartialBatches: Rule = {
  id: 'embedding-partial-batches',
  severity: 'information',
  summary: "The CPU batch size isn't a multiple of the GPU batch size, which leaves partial batches.",
  sources: ['embedding-batch guide, Optimal Relationship'],
  dialects: ['guide-embedding', 'embeddings'],
  check(context) {
    const cpu = numberOf(context, CPU);
    const gpu = numberOf(context, GPU);
    // Only if the importer passes texts on: rows of a database have separate batches.
    const passed = numberOf(context, IMPORT);
    if (passed === null || cpu === null || gpu === null || gpu < 1 || cpu % gpu === 0) return [];
    const whole = Math.max(1, Math.round(cpu / gpu)) * gpu;
    const message = context.say(
      "{0} isn't a multiple of {1}. The GPU is not used fully: {2}. Use {3}.",
      quoted(context, CPU),
      quoted(context, GPU),
      lastPass(context.say, cpu, gpu),
      whole,
    );
    return [{ at: [CPU], message, remedies: [setKey(CPU, whole)] }];
  },
};

/** How full the GPU's last pass is for a batch of the CPU. */
function lastPass(say: Say, cpu: number, gpu: number): string {
  const passes = Math.ceil(cpu / gpu);
  return passes === 1
    ? say('each pass embeds only {0}', cpu)
    : say('the last of every {0} passes embeds {1}', passes, cpu % gpu);
}

/** From the guide: GPU memory in GB, with the smallest and largest batch in its table. */
const TABLE = [
  [16, 16, 24],
  [24, 32, 48],
  [40, 48, 64],
  [80, 64, 96],
] as const;

/** `batch_size ≈ (VRAM_GB - 4) * 1.5` */
const formula = (gigabytes: number): number => Math.floor((gigabytes - 4) * 1.5);

export const embeddingGuideFormula: Rule = {
  id: 'embedding-guide-formula',
  severity: 'information',
  summary: "The embedding-batch guide's table and formula contradict each other.",
  sources: [
    'embedding-batch guide, GPU Memory → Batch Size Mapping: a table, and batch_size ≈ (VRAM_GB - 4) * 1.5',
    'jinaai/jina-embeddings-v4 model.safetensors.index.json: 3.9 B parameters, 7.3 GB in 16 bits',
  ],
  dialects: ['guide-embedding', 'embeddings'],
  check(context) {
    const { estimate, run } = context;
    const [device] = estimate?.devices ?? [];
    const isOfGuide =
      numberOf(context, CPU) !== null && (run.quantities.model.value ?? '').includes('jina-embeddings-v4');
    if (!device?.capacityBytes || !isOfGuide) return [];
    const gigabytes = Math.round(device.capacityBytes / GIB);
    const row = TABLE.find(([memory]) => Math.abs(memory - gigabytes) <= 1);
    const weights = device.terms.find(({ term }) => term === 'weights')?.bytes ?? 0;
    const length = run.quantities.seqLen.value;
    if (!row || length === null) return [];
    const [memory, least, most] = row;
    const message = context.say(
      'The guide contradicts itself for {0} GB: {1}–{2} by its table, {3} by its formula. Weights take {4}, not its 4, and a text has up to {5} tokens: headroom optimize finds the batch size.',
      memory,
      least,
      most,
      formula(memory),
      formatBytes(weights),
      length,
    );
    return [{ at: [GPU], message }];
  },
};
