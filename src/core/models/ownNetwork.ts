import type { ModelFacts } from './model';
import type { NetworkFacts } from './network';
import { noFacts } from './noFacts';

/** Facts of a project's own network: its parameters, and what its code does with a sample. */
export const modelOfNetwork = (id: string, network: NetworkFacts): ModelFacts => ({
  ...noFacts,
  id,
  modelType: 'own_network',
  kind: 'other',
  source: 'user',
  publishedTotal: network.parameters,
  network,
  extra: {},
});
