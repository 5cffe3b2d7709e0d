import renamed from './data/renamedKeys.json';
import type { Rule, RuleContext } from './rule';
import { TRAINING_ARGUMENTS } from './dialectGroups';
import { isStated } from './raw';

export const renamedKey: Rule = {
  id: 'renamed-key',
  severity: 'hint',
  summary: 'Newer releases no longer support this key and stop on it.',
  sources: [
    'trl 1.13 scripts/utils.py parse_args_and_config: “Unknown arguments from config file”',
    renamed.source,
  ],
  dialects: TRAINING_ARGUMENTS,
  check(context) {
    const { run } = context;
    const task = run.quantities.task.value ?? '';
    const entries = run.dialect === 'hf-trl' ? [...renamed.trl, ...renamed.hf] : renamed.hf;
    return entries
      .filter(({ key, tasks }) => isStated(context, key) && (tasks.length === 0 || tasks.includes(task)))
      .map(({ key, gone, instead }) => ({
        at: [key],
        message:
          `\`${key}\` is no longer known to ${gone} and newer, which stop on unknown keys. ` +
          advice(context, instead),
      }));
  },
};

/** Where the new key is there already, writing it would say it twice. */
function advice(context: RuleContext, instead: string | null): string {
  if (instead === null) return 'Remove it when you upgrade.';
  const [key = instead] = instead.split(/[,:]/);
  return isStated(context, key)
    ? `\`${key}\` says it there: remove this one when you upgrade.`
    : `Write ${instead} when you upgrade.`;
}
