import { builtIn } from './defined/compile';
import file from './sglang.yaml';
import type { Dialect } from './dialect';
import { sglangRun } from './sglang/keys';

/** SGLang's server; sgl-project/sglang 004813e1, docs/advanced_features/server_arguments.md. */
export const sglang: Dialect = builtIn(file, { compose: sglangRun });
