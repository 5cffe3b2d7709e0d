import { compareReleases, releaseOf } from '../../spec/version';
import type { FrameworkProfile } from './profile';
import { usual } from './profile';

/** The only release of bitsandbytes that litgpt supports (generate/base.py). */
const BITSANDBYTES = '0.42.0';

/** litgpt's published runs of four architectures agree with transformers' code to 0.4 to 1.5 %. */
export const litgpt: FrameworkProfile<'litgpt'> = {
  ...usual,
  id: 'litgpt',
  // litgpt/model.py: the same norms in fp32, projections, rotation and gated MLP.
  models: 'like transformers',
  // generate/base.py, set_kv_cache.
  staticCache: { room: 'all', sees: 'room' },
  loss: () => 'fabric',
  behavior: ({ framework }) => ({
    ownModelCode: true,
    widensAdapters: 'never',
    fusesGelu: true,
    // finetune/lora.py pads on the right.
    masksPadding: false,
    fusesQueryKeyValue: true,
    // finetune/lora.py: a unit for each Block, adapters and all; peft and torchtune wrap adapters apart.
    flattensFrozen: true,
    unpacksToHalf: compareReleases(releaseOf(framework, 'bitsandbytes') ?? BITSANDBYTES, '0.43') < 0,
    // litgpt/model.py, GPT.__init__: its head is no embedding's weight, whatever the config says; the conversion doubles it.
    tiesHead: false,
    // Lightning's BitsandbytesPrecision without `ignore_modules` quantizes every linear layer.
    quantizesHead: true,
    // generate/sequentially.py, generate/tp.py: each of several devices holds what is no block in full.
    spreadsBlocks: true,
  }),
};
