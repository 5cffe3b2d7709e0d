import type { Pack } from '../dialect';
import { plainSize } from '../shared/imageSize';

/** Forecasts of the weather: microsoft/ClimaX. */
export const climax: Pack = {
  id: 'climax',
  project: 'microsoft/ClimaX',
  extends: ['lightning-cli', 'hydra'],
  evidence: { modules: ['climax'] },
  task: 'forecasting',
  quantities: {
    imageSize: { keys: ['model.net.init_args.img_size'], read: plainSize },
  },
};
