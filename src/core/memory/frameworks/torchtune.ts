import { compareReleases } from '../../spec/version';
import { releaseOf } from './behavior/releases';
import type { FrameworkProfile } from './profile';
import { usual } from './usual';

export const torchtune: FrameworkProfile<'torchtune'> = {
  ...usual,
  id: 'torchtune',
  // torchtune/modules/transformer.py: the same norms in fp32, projections, rotation and gated MLP.
  models: 'like transformers',
  loss: framework => {
    const release = releaseOf(framework, 'torchtune');
    // torchtune/modules/loss/ce_chunked_output_loss.py came with 0.3; before, transformer.py: `self.output(h).float()`.
    return release !== null && compareReleases(release, '0.3') >= 0 ? 'chunked_output' : 'shifted-fp32';
  },
  behavior: () => ({ ownModelCode: true, widensAdapters: 'never', fusesGelu: true }),
};
