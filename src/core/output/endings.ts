/** What a program prints when its training is over: it ends with this, and not with the last step. */
const ENDS: readonly RegExp[] = [
  /['"]train_runtime['"]\s*:|\*{5} train metrics \*{5}/,
  /^\s*training_seconds:\s+[\d.]+/m,
  /\bTraining (?:is )?(?:completed?|finished|done)\b|\bFinished training\b|\bDone with training\b/i,
  /`Trainer\.fit` stopped: `max_(?:steps|epochs|time)=/,
  /\[after training is done\]/,
  /\bepochs completed in [\d.]+ hours/,
  /\bProcess \d+ exits successfully/,
  /\[batch=(\d+)\/\1\]:/,
  // NeMo's bar counts the run's steps, whatever it calls an epoch.
  /100%\|[^|]{0,400}\| (\d+)\/\1 \[[^\]]{0,2000}consumed_samples=/,
];

/** What stands where a program breaks off. */
const FAILS: readonly RegExp[] = [
  /Traceback \(most recent call last\):/,
  /\bChildFailedError\b|\bexit ?code:? -\d+\b/i,
  /^(?:srun|slurmstepd): error: .*(?:Exited with exit code|CANCELLED|oom)/m,
  /\b(?:Segmentation fault|core dumped)\b/,
];

/** Whether the text says that training came to its end. */
export const hasEnded = (text: string): boolean => ENDS.some(pattern => pattern.test(text));

/** Whether the text says that the program broke off. */
export const hasBrokenOff = (text: string): boolean => FAILS.some(pattern => pattern.test(text));
