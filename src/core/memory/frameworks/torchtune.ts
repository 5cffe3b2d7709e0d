import type { Framework } from '../../spec/runSpec';
import { compareReleases, releaseOf } from '../../spec/version';
import type { FrameworkProfile } from './profile';
import { usual } from './profile';

/**
 * 0.3 came with chunked losses (modules/loss/ce_chunked_output_loss.py), their compilation (training/_compile.py,
 * compile_loss) and FSDP 2 (training.shard_model). Before, losses were eager, and recipes wrapped models with FSDP 1.
 */
const isSinceChunks = (framework: Framework): boolean => {
  const release = releaseOf(framework, 'torchtune');
  return release !== null && compareReleases(release, '0.3') >= 0;
};

export const torchtune: FrameworkProfile<'torchtune'> = {
  ...usual,
  id: 'torchtune',
  // torchtune/modules/transformer.py: the same norms in fp32, projections, rotation and gated MLP.
  models: 'like transformers',
  // recipes/*_distributed.py, without a setting that turns it off.
  sharding: 'always',
  fsdp: framework => (isSinceChunks(framework) ? 2 : 1),
  // Before 0.3, transformer.py: `self.output(h).float()`, and recipes that shifted it.
  loss: framework => (isSinceChunks(framework) ? 'chunked_output' : 'shifted-fp32'),
  compilesLoss: isSinceChunks,
  behavior: () => ({ ownModelCode: true, widensAdapters: 'never', fusesGelu: true }),
};
