import type { DialectDefinition } from '../dialects/defined/definition';
import { conditionsOf } from './fact';
import type { Rule } from './rule';
import { setKey, when } from './when';

/** The rules that a dialect of the workspace brings along. */
export function definedRules({ id, title, rules }: DialectDefinition): readonly Rule[] {
  return rules.map(rule => ({
    id: rule.id,
    severity: rule.severity,
    summary: `A rule of ${title}.`,
    sources: [`${id}’s dialect file`],
    dialects: [id],
    check: when(conditionsOf(rule.when), quote => ({
      at: rule.at,
      message: rule.message.replaceAll(/\{([^{}]+)\}/g, (_, key: string) => quote(key)),
      ...(rule.set && { remedies: [setKey(rule.set.key, rule.set.to)] }),
    })),
  }));
}
