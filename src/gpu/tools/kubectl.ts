import { readNodeLabels } from '../kubernetes/labels';
import { Problems } from '../problems';
import { ONE_SHOT } from '../tool';
import type { GpuTool } from '../tool';

const problems = new Problems('kubectl');

/** The nodes of a cluster, read where they are pasted. */
export const kubectl: GpuTool = {
  ...ONE_SHOT,
  id: 'kubectl',
  vendor: 'unknown',
  executables: () => [],
  query: () => ['describe', 'nodes'],
  ...problems.reads(readNodeLabels),
};
