// Renders what a window shows in a language of wide letters: a word in plain letters was not said in it.
import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/analyse/analyse';
import { catalogPlaces, typePlace } from '../../../src/core/compare/place';
import { describeTarget } from '../../../src/core/hardware/describe';
import { proofText } from '../../../src/core/plan/arithmetic';
import { planContext } from '../../../src/core/plan/context';
import { outcomeOf } from '../../../src/core/plan/outcome';
import type { Plan, PlanSearch } from '../../../src/core/plan/plan';
import { comparePlaces } from '../../../src/core/plan/places/compare';
import type { ComparedPlace } from '../../../src/core/plan/places/fit';
import { suitablePlaces } from '../../../src/core/plan/places/suitable';
import { searchPlans } from '../../../src/core/plan/search';
import { comparePage, countsText, hereText, placeTexts } from '../../../src/core/render/compare';
import { explanation } from '../../../src/core/render/explanation';
import { fixTitle, planRow, planTitle } from '../../../src/core/render/fix';
import { hover, visibleText } from '../../../src/core/render/hover';
import { lensTexts, lensTooltip } from '../../../src/core/render/lens';
import { partialText, partTexts } from '../../../src/core/render/parts';
import { planChart } from '../../../src/core/render/planChart';
import { planPage } from '../../../src/core/render/planPage';
import { relatedPlaces } from '../../../src/core/render/related';
import { noneHeadline } from '../../../src/core/render/sentences';
import { shortAnswer } from '../../../src/core/render/statusBar';
import type { Analysis, RunAnalysis } from '../../../src/core/rules/analysis';
import { sharedBatchArithmetic } from '../../../src/core/spec/batchArithmetic';
import { statedIn } from '../../../src/editor/findings';
import { running } from '../dialects/support';
import { axolotl, target, theGpus, worldWithModels } from '../core/support';
import { translated, wide } from './invented';

const SERVER =
  'vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 32768 --max-num-seqs 64 --dtype bfloat16\n';
const CONFIGS: readonly (readonly [what: string, file: string, text: string])[] = [
  ['training', 'train.yaml', axolotl()],
  ['serving', 'serve.sh', SERVER],
];
const GPUS = ['RTX 3060', 'RTX 4090', 'A100 80GB'];
const OPTIONS = { margin: 0.85, mayTrade: true, details: true, goal: 'fit' } as const;
const PICTURE = 'data:x';
const pause = (): Promise<void> => Promise.resolve();

/** Names, icons of VS Code, and the language of a code block. */
const SAME = /^(?:PyTorch|Intel|Apple|pass|error|sh)$/;

/** What stays as it is: places in programs and files, and keys' names. */
function known({ run }: RunAnalysis): readonly string[] {
  return Object.entries({ ...run.quantities, ...run.details })
    .flatMap(([name, { origin }]) => [
      `\`${name}\``,
      ...Object.entries(origin).flatMap(([key, value]) => (TOLD.has(key) ? [] : [value as unknown])),
    ])
    .filter(one => typeof one === 'string')
    .toSorted((a, b) => b.length - a.length);
}

/** The parts of an origin that are texts. */
const TOLD = new Set(['kind', 'formula', 'why']);

/** Words in plain letters that neither the config nor one of its values has, and plain commas between words. */
function unsaid(text: string, known: readonly string[], data: string): readonly string[] {
  const rest = known.filter(one => one !== '').reduce((left, one) => left.replaceAll(one, ' '), text);
  const words = rest.match(/[\w./:-]*\w/g) ?? [];
  const commas = rest.match(/[ａ-ｚ]*(?:[ａ-ｚ],|, *[ａ-ｚ])[ａ-ｚ]*/g) ?? [];
  const inData = new Set(data.match(/[A-Za-z]+/g));
  const isUnsaid = (word: string): boolean =>
    /^[A-Z]?[a-z]{2,}$/.test(word) && !SAME.test(word) && !inData.has(word);
  return [...words.filter(isUnsaid), ...commas];
}

/** The texts of each of the editor's places for one run. */
function editorTexts(all: Analysis, run: RunAnalysis, file: string): Record<string, readonly string[]> {
  const hovers = statedIn(file, [run]).map(({ name }) =>
    hover(run, { say: translated, quantity: name, file, bar: PICTURE }),
  );
  return {
    lens: [...lensTexts([run], translated).map(({ title }) => title), lensTooltip(run, translated)],
    'status bar': [shortAnswer(run, translated).text, shortAnswer(run, translated).spoken],
    hint: [sharedBatchArithmetic([{ run: run.run, gpus: 2 }], translated) ?? ''],
    hover: hovers.map(visibleText),
    explanation: [visibleText(explanation(all, () => PICTURE, translated))],
    findings: run.findings.map(({ message }) => message),
    fixes: run.findings.flatMap(({ remedies }) => remedies.map(one => fixTitle(one, file, translated))),
    related: relatedPlaces(run, translated).map(({ message }) => message),
  };
}

function planTexts(search: PlanSearch, rows: readonly ComparedPlace[], run: RunAnalysis, file: string) {
  const outcome = outcomeOf(run);
  const page = (plan: Plan): string[] => {
    const elsewhere = { before: rows, after: rows };
    const options = { file, title: '', chart: null, advice: search.advice, elsewhere };
    return [
      visibleText(planPage(plan, options, translated)),
      planChart(plan.before, plan.after, 'dark', translated).replaceAll(/<[^<>]*>/g, ' '),
      ...partTexts(plan.edits, outcome, [], file, translated).flatMap(({ label, description }) => [
        label,
        description,
      ]),
      partialText(outcome, outcome, translated),
    ];
  };
  return {
    plans: search.plans.flatMap(plan => [
      planTitle(plan, file, translated),
      ...Object.values(planRow(plan, file, translated)).map(String),
      ...plan.arithmetic.map(proofText),
    ]),
    'no plan': [noneHeadline(search, 'fit', translated)],
    rejected: search.rejected.map(({ remedy, why }) => `${remedy}: ${why}`),
    'plan page': search.plans.slice(0, 1).flatMap(page),
  };
}

function compareTexts(rows: readonly ComparedPlace[], run: RunAnalysis, file: string) {
  const { left } = suitablePlaces(catalogPlaces(theGpus, null), run.run, translated);
  return {
    'compare list': rows.flatMap(row => Object.values<string>({ ...placeTexts(row, file, translated) })),
    'compare page': [visibleText(comparePage(rows, { title: '', file, left }, translated))],
    'compare sums': [countsText(rows, translated), hereText(rows, translated) ?? ''],
    target: [describeTarget(translated, target('GB10'))],
  };
}

async function textsOf(file: string, text: string) {
  const world = { ...worldWithModels({ [file]: text }), say: translated };
  const all = await analyze(file, text, world, { target: target('RTX 4090'), severities: {} }, running);
  const [run] = all.runs;
  assert.ok(run?.estimate);
  const context = planContext(run, all.runs, { say: translated });
  const search = await searchPlans(context, OPTIONS, pause, running);
  const places = GPUS.map(name => typePlace(target(name)));
  const rows = await comparePlaces({ ...run, say: translated }, places, OPTIONS, pause, running);
  assert.ok(rows);
  const texts = {
    ...editorTexts(all, run, file),
    ...planTexts(search, rows, run, file),
    ...compareTexts(rows, run, file),
  };
  const changes = [...search.plans, ...run.findings.flatMap(({ remedies }) => remedies)];
  const edits = [...changes, ...rows.flatMap(({ fit }) => fit.fix ?? [])].flatMap(one => one.edits);
  const values = Object.values({ ...run.run.quantities, ...run.run.details }).map(one => one.value);
  const data = JSON.stringify([text, run.run.framework, search.advice.map(one => one.text), edits, values]);
  return { texts, known: known(run), data };
}

describe('texts of a window in another language', () => {
  it('are told from a sentence that was not said in it', () => {
    const text = `$(error) ≈ 29.6 GB of ${wide('24 usable')} GB · RTX 4090 · micro_batch_size`;
    assert.deepEqual(unsaid(text, [], ''), ['of']);
  });

  for (const [what, file, text] of CONFIGS) {
    it(`have no sentence that was not said in it: ${what}`, async () => {
      const { texts, known: same, data } = await textsOf(file, text);
      for (const [place, all] of Object.entries(texts)) {
        const words = all.flatMap(one => unsaid(one, same, data));
        assert.deepEqual(words, [], place);
      }
    });
  }
});
