import { readDescription } from '../models/described';
import { hubId } from '../models/names';
import type { RunAnalysis } from '../rules/analysis';

/** The rule that reports an unknown model. */
const UNKNOWN_MODEL = 'unknown-model';

/** The hub id of a run's unknown model; null if the model is known, or if its name is a path or a plain word. */
export function unknownHubModel({ run, findings }: RunAnalysis): string | null {
  const isUnknown = findings.some(({ rule }) => rule === UNKNOWN_MODEL);
  const id = isUnknown ? hubId(run.quantities.model.value ?? '') : null;
  return id?.includes('/') ? id : null;
}

/** A file in `.headroom/models` that makes a known model stand in for an unknown one. */
export const likeModelText = (
  model: string,
  like: string,
): string => `# Estimated with the architecture of a known model. Put config.json next to your config for exact numbers.
model: ${JSON.stringify(model)} # the name that configs use
like: ${JSON.stringify(like)} # a model of the catalog
`;

/** True if a file in `.headroom/models` states amounts, as opposed to a model that stands in. */
export function describesModel(text: string): boolean {
  const reading = readDescription(text);
  return reading.ok && 'description' in reading;
}

/** A template for a file in `.headroom/models`; it takes effect once its points are filled in. */
export const describedModelText = (
  model: string,
): string => `# What ${JSON.stringify(model)} needs, as you measured it. Fill in two or more runs on one GPU.
model: ${JSON.stringify(model)} # the name that configs use
metric: device # what nvidia-smi shows; or reserved, allocated (torch)
measured:
  # - { batch: 8, sequence: 400, memory: 2.7 GB }
  # - { batch: 32, sequence: 400, memory: 12 GB }
`;
