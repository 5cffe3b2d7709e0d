import { definitionOf } from '../dialects/defined/definition';
import type { DialectDefinition } from '../dialects/defined/definition';
import { english } from '../text/say';
import type { Severity } from '../spec/conditions';
import { allRules } from './allRules';
import { conditionsOf } from './fact';
import { isIgnored } from './ignore';
import { placeOf } from './locate';
import type { ReportPlace } from './locate';
import { keysIn, ownLayers } from './raw';
import type { Report, Rule, RuleContext, RuleFault } from './rule';
import { setKey, when } from './when';

/** The rules that a dialect of the workspace defines. */
function definedRules({ id, title, rules }: DialectDefinition): readonly Rule[] {
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

interface CheckOptions {
  /** Severity by rule id; `off` silences a rule. */
  readonly severities: Readonly<Record<string, Severity | 'off'>>;
  /** Receives rules that throw; they then report nothing. Absent: the error propagates, so that a test fails. */
  readonly onFault?: ((fault: RuleFault) => void) | undefined;
}

/** A rule's report with its place and effective severity; remedies are still as suggested. */
export interface LocatedReport extends ReportPlace {
  readonly rule: string;
  readonly severity: Severity;
  readonly report: Report;
}

/**
 * Checks every rule of the run's dialect. A rule that throws does not affect the others if `onFault` is set. Omits
 * reports that a comment ignores. Sorted by place (files in the run's order), then by rule, so that the same run
 * gives the same list.
 */
export function checkRules(
  context: RuleContext,
  options: CheckOptions,
  among: readonly Rule[] = rulesFor(context),
): readonly LocatedReport[] {
  const { run } = context;
  const located: LocatedReport[] = [];
  for (const rule of among) {
    const severity = options.severities[rule.id] ?? rule.severity;
    if (severity === 'off' || !concerns(rule, run)) continue;
    for (const report of reportsOf(rule, context, options)) {
      located.push({ rule: rule.id, severity, report, ...placeOf(run, report.at) });
    }
  }
  const order = run.sources.map(source => source.path);
  const fileAt = (one: LocatedReport): number => order.indexOf(one.file);
  const unsilenced = located.filter(one => {
    const source = run.sources.find(({ path }) => path === one.file);
    return !source || !isIgnored(source.yaml, one.rule, one.line);
  });
  return unsilenced.sort(
    (a, b) => fileAt(a) - fileAt(b) || a.span.start - b.span.start || (a.rule < b.rule ? -1 : 1),
  );
}

/** True if a rule applies to the run's dialect and project. */
const concerns = ({ dialects, packs }: Rule, run: RuleContext['run']): boolean =>
  (dialects?.includes(run.dialect) ?? true) && (packs?.some(id => run.packs?.includes(id)) ?? true);

const rulesOfAnyDialect = allRules.filter(({ dialects }) => dialects === undefined);
const rulesByDialect = byDialect(allRules);

/** Most rules belong to one dialect: a run passes over the others at once. */
function byDialect(rules: readonly Rule[]): ReadonlyMap<string, readonly Rule[]> {
  const index = new Map<string, Rule[]>();
  for (const rule of rules) {
    for (const id of rule.dialects ?? []) {
      const own = index.get(id);
      if (own) own.push(rule);
      else index.set(id, [rule]);
    }
  }
  return index;
}

/** Headroom's rules that may concern the run, and those of its own dialect's file. */
function rulesFor({ run }: RuleContext): readonly Rule[] {
  const definition = definitionOf(run);
  return [
    ...rulesOfAnyDialect,
    ...(rulesByDialect.get(run.dialect) ?? []),
    ...(definition ? definedRules(definition) : []),
  ];
}

function reportsOf(rule: Rule, context: RuleContext, { onFault }: CheckOptions): readonly Report[] {
  try {
    return rule.check(context);
  } catch (error) {
    // A faulty rule must not hide other findings.
    if (!onFault) throw error;
    onFault({ rule: rule.id, file: context.run.sources[0]?.path ?? '', error });
    return [];
  }
}

type Facts = Omit<RuleContext, 'raw' | 'modelWhy' | 'say'> & Partial<Pick<RuleContext, 'modelWhy' | 'say'>>;

/**
 * The input of rules. Keys are looked up in the config and its overlays (a curriculum stage); the keys of a
 * DeepSpeed file that the config names are separate (see `fileOf`).
 */
export function ruleContext(facts: Facts): RuleContext {
  return { modelWhy: null, say: english, ...facts, ...keysIn(ownLayers(facts.run)) };
}
