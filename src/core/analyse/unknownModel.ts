import { readDescription } from '../models/described';
import { hubId } from '../models/names';
import type { RunAnalysis } from '../rules/analysis';

/** The rule that says that a model is not known. */
export const UNKNOWN_MODEL = 'unknown-model';

/** The hub's id of a run's model, where it is not known here; null where its name is a path or a word. */
export function unknownHubModel({ run, findings }: RunAnalysis): string | null {
  const isUnknown = findings.some(({ rule }) => rule === UNKNOWN_MODEL);
  const id = isUnknown ? hubId(run.quantities.model.value ?? '') : null;
  return id?.includes('/') ? id : null;
}

/** A file in `.headroom/models` by which a known model stands in for an unknown one. */
export const likeModelText = (
  model: string,
  like: string,
): string => `# Estimated with the architecture of a known model. Put config.json next to your config for exact numbers.
model: ${JSON.stringify(model)} # the name that configs use
like: ${JSON.stringify(like)} # a model of the catalog
`;

/** Whether a file in `.headroom/models` says anything of its own: amounts, as opposed to a model that stands in. */
export function describesModel(text: string): boolean {
  const reading = readDescription(text);
  return reading.ok && 'description' in reading;
}

/** The beginning of a file in `.headroom/models`: nothing is known until its points are filled in. */
export const describedModelText = (
  model: string,
): string => `# What ${JSON.stringify(model)} needs, as you measured it. Fill in two or more runs on one GPU.
model: ${JSON.stringify(model)} # the name that configs use
metric: device # what nvidia-smi shows; or reserved, allocated (torch)
measured:
  # - { batch: 8, sequence: 400, memory: 2.7 GB }
  # - { batch: 32, sequence: 400, memory: 12 GB }
`;
