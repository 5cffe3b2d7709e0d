import type { ZeroBuffers } from '../../../src/core/spec/values';
import type { PublishedRecord } from './publishedRecord';
import type { StatedDetails, StatedQuantities } from './stated';

/* A record cites its script, notebook or table. Facts from there that are missing in the record are added here,
   like a config's references. */

interface Recipe {
  /** Matches the text of the source. */
  readonly cited: RegExp;
  readonly releases?: Readonly<Record<string, string>>;
  /** The stage if a run on one GPU still uses DeepSpeed. */
  readonly stageAlone?: (record: PublishedRecord) => 2 | 3;
  readonly buffers?: Readonly<Record<2 | 3, ZeroBuffers>>;
  /** How a quantized model is prepared for adapters. */
  readonly kbitPrepare?: 'all';
}

const RECIPES: readonly Recipe[] = [
  {
    // README.md, "Profiling of Memory and Speed": CUDA 11.8 and torch 2.0. finetune_qlora_single_gpu.sh and
    // finetune_ds.sh also use DeepSpeed on one GPU, with ds_config_zero2.json and ds_config_zero3.json.
    cited: /QwenLM\/Qwen@.*finetune\.py/,
    releases: { torch: '2.0' },
    stageAlone: ({ lora }) => (lora === null ? 3 : 2),
    buffers: {
      2: buffers({ reduceBucket: 2e8, overlapsComm: true }),
      3: buffers({ reduceBucket: 'auto', prefetchBucket: 'auto', overlapsComm: true }),
    },
  },
  {
    // requirements.txt; its DeepSpeed files keep all default buckets.
    cited: /liucongg\/ChatGLM-Finetuning/,
    releases: { torch: '1.13.0', transformers: '4.33.0', peft: '0.5.0' },
  },
  {
    // Added on 20 October 2025, run on the 31st with the newest releases; that trainer prepared models as PEFT does
    // (trl 0.24, models/utils.py, prepare_peft_model).
    cited: /trl:examples\/notebooks\/sft_trl_lora_qlora\.ipynb/,
    releases: { trl: '0.24', transformers: '4.57.1', peft: '0.17.1', torch: '2.8' },
    kbitPrepare: 'all',
  },
];

/** DeepSpeed's defaults (runtime/zero/config.py) except for a file's values. */
function buffers(stated: Partial<ZeroBuffers>): ZeroBuffers {
  return {
    reduceBucket: 5e8,
    prefetchBucket: 5e7,
    reuseDistance: 1e9,
    subGroup: 1e9,
    overlapsComm: null,
    ...stated,
  };
}

const recipeOf = ({ source_url_or_repo_path: source }: PublishedRecord): Recipe | undefined =>
  RECIPES.find(({ cited }) => cited.test(source));

/** Releases that the source states, or used when it was made. */
export const citedReleases = (record: PublishedRecord): Recipe['releases'] => recipeOf(record)?.releases;

/** The DeepSpeed stage in the source's scripts if the record says DeepSpeed without a stage. */
export function citedStage(record: PublishedRecord): StatedQuantities {
  const { parallelism, framework } = record;
  const recipe = recipeOf(record);
  const isOpen = framework.includes('DeepSpeed') && parallelism?.['zero_stage'] === undefined;
  return recipe?.stageAlone && isOpen ? { zeroStage: recipe.stageAlone(record) } : {};
}

/** Buckets, and the preparation of quantized models. */
export function citedDetails(record: PublishedRecord): StatedDetails {
  const recipe = recipeOf(record);
  const stage = citedStage(record).zeroStage ?? record.parallelism?.['zero_stage'];
  return {
    ...(recipe?.buffers && (stage === 2 || stage === 3) && { zeroBuffers: recipe.buffers[stage] }),
    ...(recipe?.kbitPrepare && record.quantization !== null && { kbitPrepare: recipe.kbitPrepare }),
  };
}
