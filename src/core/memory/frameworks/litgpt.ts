import { compareReleases, releaseOf } from '../../spec/version';
import type { Framework } from '../../spec/runSpec';
import type { FrameworkProfile } from './profile';
import type { LossCode } from './behavior/behavior';
import { usual } from './profile';

/** The only release of bitsandbytes that litgpt supports (generate/base.py). */
const BITSANDBYTES = '0.42.0';

const isBefore = (release: string, framework: Framework): boolean =>
  compareReleases(releaseOf(framework, 'bitsandbytes') ?? BITSANDBYTES, release) < 0;

/**
 * finetune/lora.py, fit: `logits` is assigned once the next model has run. The scripts before the package took the longest
 * row first (`longest_seq_ix`, until February 2024), when there was no step before it.
 */
const isPackage = (framework: Framework): boolean => {
  const release = releaseOf(framework, 'litgpt');
  return release !== null && compareReleases(release, '0.3') >= 0;
};

/** As many parts as the shortest of its configs' rows has; more of them are smaller, and no other way. */
const IN_PARTS: LossCode = { kind: 'in parts', made: 'before, in fp32', parts: 4, compiled: false };

/** litgpt's published runs of four architectures match transformers' code within 0.4 to 1.5 %. */
export const litgpt: FrameworkProfile<'litgpt'> = {
  ...usual,
  id: 'litgpt',
  // litgpt/model.py: the same norms in fp32, projections, rotation and gated MLP.
  models: 'like transformers',
  // generate/base.py, set_kv_cache.
  staticCache: { room: 'all', sees: 'room' },
  loss: () => 'whole-fp32',
  behavior: ({ framework, loss }) => ({
    // finetune/lora.py: `model(…, lm_head_chunk_size=128)`; utils.py, chunked_cross_entropy of a list.
    ...(loss === 'chunked_output' && { loss: IN_PARTS }),
    ownModelCode: true,
    keepsQuantizedInputs: isBefore('0.43.2', framework),
    keepsOutput: isPackage(framework),
    widensAdapters: 'never',
    fusesGelu: true,
    // finetune/lora.py pads on the right.
    masksPadding: false,
    fusesQueryKeyValue: true,
    // finetune/lora.py: a unit for each Block, including adapters; peft and torchtune wrap adapters separately.
    flattensFrozen: true,
    unpacksToHalf: isBefore('0.43', framework),
    // litgpt/model.py, GPT.__init__: its head is never tied, whatever the config says; the conversion duplicates
    // it.
    tiesHead: false,
    // Lightning's BitsandbytesPrecision without `ignore_modules` quantizes every linear layer.
    quantizesHead: true,
    // generate/sequentially.py, generate/tp.py: each of several devices holds everything outside blocks in full.
    spreadsBlocks: true,
  }),
};
