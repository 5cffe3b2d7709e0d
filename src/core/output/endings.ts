/** Messages at the end of a training; the run ends there, not with the last step. */
const ENDS: readonly RegExp[] = [
  /['"]train_runtime['"]\s*:|\*{5} train metrics \*{5}/,
  /^[ \t]*training_seconds:[ \t]+[\d.]+/m,
  /\bTraining (?:is |has )?(?:completed?|finished|done|ended)\b|\b(?:Finished|Completed) training\b|\bDone with training\b/i,
  /^.{0,80}\b(?:Total training time|Training took|Training time)\b:?\s{0,4}(?:\d|of )/im,
  /`Trainer\.fit` stopped: `max_(?:steps|epochs|time)=/,
  /\[after training is done\]/,
  /\bepochs completed in [\d.]+ hours/,
  /\bProcess \d+ exits successfully/,
  /\[batch=(\d+)\/\1\]:/,
  // NeMo's bar counts the run's steps, even if it calls them an epoch.
  /100%\|[^|]{0,400}\| (\d+)\/\1 \[[^\]]{0,2000}consumed_samples=/,
];

/** Messages of a program that crashed. */
const FAILS: readonly RegExp[] = [
  /Traceback \(most recent call last\):/,
  /^(?:[a-z]\w{0,60}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception): /m,
  /\bLoss is (?:nan|inf|infinite),? (?:stopping|aborting)|\bnon-finite loss, ending/i,
  /\bChildFailedError\b|\bexit ?code:? -\d+\b/i,
  /^(?:srun|slurmstepd): error: .*(?:Exited with exit code|CANCELLED|oom)/m,
  // detectron2/engine/train_loop.py, above the traceback.
  /\bException during training:/,
  /\b(?:Segmentation fault|core dumped)\b/,
];

/** True if the text says that training finished. */
export const hasEnded = (text: string): boolean => ENDS.some(pattern => pattern.test(text));

/** True if the text says that the program crashed. */
export const hasBrokenOff = (text: string): boolean => FAILS.some(pattern => pattern.test(text));
