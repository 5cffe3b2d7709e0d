import { basename } from '../../text/paths';

/** How names of programs and configs begin that prepare data, or use a trained model. */
const OTHER_WORK =
  /^(?:run_)?(?:eval|test|infer|predict|sampl|generat|export|demo|bench|visuali|plot|process|preprocess|precomput|prepare|convert|merge|extract|download)/i;

const OF_TRAINING = /train|tun(?:e|ing)|sft|dpo|grpo/i;

/** True for names of other work than training: `scripts/evaluate.py`, `pkg/infer`, `test.yaml`. */
export function isOtherWork(path: string): boolean {
  const name = basename(path);
  return OTHER_WORK.test(name) && !OF_TRAINING.test(name);
}
