import type { Output } from '../output';
import { dryRuns } from './dry';
import type { ProfileOptions } from './options';
import { subjectOf } from './subject';

/** What a dry run before a plan needs of `headroom profile`'s options; the rest is as it is there by default. */
export interface ProfileFirst extends Pick<ProfileOptions, 'gpu' | 'gpus' | 'python' | 'quiet' | 'color'> {
  readonly profile?: boolean;
}

/**
 * With `--profile`: runs the config's own code on tensors without data first, so that plans start from what was found out. What is in the
 * way is said, and the computed estimate stays.
 */
export async function profileBefore(file: string, first: ProfileFirst, output: Output): Promise<void> {
  if (!first.profile) return;
  const options: ProfileOptions = { ...first, layers: 'auto', timeout: 300, keep: true };
  const aside: Output = { ...output, out: output.err };
  await dryRuns(await subjectOf(file, options), options, aside);
  // A run that cannot be followed decides nothing here: its plan does.
  process.exitCode = undefined;
}
