import { assertBrief } from '../brief';
import { judge } from '../core/support';
import type { Finding } from '../../../src/core/rules/rule';

/** The findings of a config's run on a GPU, with estimates and times. */
export async function findingsOfRun(text: string, gpu: string): Promise<readonly Finding[]> {
  const { runs } = await judge({ 'config.yaml': text }, gpu);
  const found = runs.flatMap(({ findings }) => findings);
  for (const { message } of found) assertBrief(message);
  return found;
}
