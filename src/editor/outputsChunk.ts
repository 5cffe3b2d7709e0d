import { factsOfOutput } from '../core/history/outputFacts';
import { explainOom } from '../core/output/oom/explain';

/** Its own chunk, loaded for the first notebook with outputs: what a program's output says. */
export const outputs = { factsOfOutput, explainOom };
