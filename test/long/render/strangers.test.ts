import assert from 'node:assert/strict';
import fc from 'fast-check';
import { bulkText } from '../../../src/core/render/bulk';
import { compareText, comparePage } from '../../../src/core/render/compare';
import { explanation } from '../../../src/core/render/explanation';
import { fixTitle, planRow } from '../../../src/core/render/fix';
import { breakdown, hover } from '../../../src/core/render/hover';
import { keyNote, keyNoteSentences } from '../../../src/core/render/keyNote';
import { lensTexts, lensTooltip } from '../../../src/core/render/lens';
import { planPage } from '../../../src/core/render/planPage';
import { relatedPlaces } from '../../../src/core/render/related';
import { shortAnswer } from '../../../src/core/render/statusBar';
import { checkText, explainText, plansText } from '../../../src/core/render/text';
import { filesAsJson, fileAsJson } from '../../../src/core/render/json';
import { typePlace } from '../../../src/core/compare/place';
import { comparePlaces } from '../../../src/core/plan/places/compare';
import { searchPlans } from '../../../src/core/plan/search';
import type { PlanSearch } from '../../../src/core/plan/plan';
import type { Analysis, RunAnalysis } from '../../../src/core/rules/analysis';
import { json, plainPaint } from '../../../src/core/text/terminal';
import { shellLine } from '../../../src/core/launch/words';
import { hostText } from '../../../src/cli/gpus/rows';
import { jobsTable } from '../../../src/cli/jobs/text';
import type { JobRecord } from '../../../src/jobs/job';
import { analyze } from '../../../src/core/analyse/analyse';
import { axolotl, contextOf, judged, target, worldWithModels } from '../../unit/core/support';
import { running } from '../../unit/dialects/support';
import { checkLabel, checkMarkdown, checkTerminal, UNSEEN } from '../../unit/render/onlyWords';

/** Text from strangers: everything that a view could interpret as more than words. */
const PIECES = [
  ...['\u001b[2K\r', '\u001b]8;;https://evil.example\u0007', '\u009b31m', '\n', '\r\n', '\u2028', '\t'],
  ...['\u202e', '\u2066', '\u200b', '\ufeff', '\u0000', '\u007f', '\ud800', '\u{e0041}'],
  ...['![x](https://evil.example/p.png)', '[Fix](command:headroom.profileConfig)', '<img src=x>', '`', '``'],
  ...[
    '**b**',
    '|',
    '\\',
    '\n\n# evil',
    '- a',
    'https://evil.example',
    'www.evil.example',
    '&lt;',
    '$(alert)',
    'ä',
  ],
];
const hostile = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 })
  .map(parts => `Q${parts.join('')}Z`);

/** A whole analysis with a stranger's words wherever a file can contain some. */
async function planted(words: string): Promise<{ analysis: Analysis; run: RunAnalysis; file: string }> {
  const file = `conf/${words.replaceAll('/', '_')}.yaml`;
  const text = axolotl({ deepspeed: JSON.stringify(words), datasets: JSON.stringify(words) });
  const options = { target: target('RTX 4090'), severities: {} };
  const found = await analyze(file, text, worldWithModels({ [file]: text }), options, running);
  const [first] = found.runs;
  assert.ok(first);
  const { run } = first;
  const findings = first.findings.map(one => ({ ...one, message: `${one.message} ${words}`, rule: words }));
  const dirty: RunAnalysis = {
    ...first,
    findings,
    missing: [words],
    run: {
      ...run,
      name: words,
      framework: { ...run.framework, name: words, version: words },
      quantities: {
        ...run.quantities,
        optimizer: { ...run.quantities.optimizer, value: words, note: words },
      },
      startedBy: { files: [words], agree: false },
    },
  };
  return { analysis: { ...found, dialect: found.dialect, runs: [dirty] }, run: dirty, file };
}

describe('whatever strings a file holds', () => {
  let clean: PlanSearch;
  before(async () => {
    clean = await plansOf(await judged(axolotl()));
  });

  it('no terminal gets a control character of it', async function property() {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(hostile, async words => {
        const { analysis, run, file } = await planted(words);
        checkTerminal(checkText({ ...analysis, file }, plainPaint));
        checkTerminal(explainText(run, file, plainPaint));
        checkTerminal(json(filesAsJson([fileAsJson(analysis)]), 2));
        const rows = await comparePlaces(
          { ...run, memory: undefined },
          [{ ...typePlace(target('T4')), where: words, note: words }],
          { margin: 0.05, mayTrade: true, details: false },
          () => Promise.resolve(),
          { aborted: false },
        );
        checkTerminal(compareText(rows ?? [], file, plainPaint));
        const search = { ...clean, rejected: [{ remedy: words, why: words }] } as unknown as PlanSearch;
        checkTerminal(plansText(run, search, 'fit', plainPaint));
        checkTerminal(
          bulkText(
            [{ file, chosen: run, runs: 2, search, applied: null }],
            target('T4'),
            'fit',
            false,
            plainPaint,
          ),
        );
        checkTerminal(jobsTable([job(words)], new Map(), 1));
        checkTerminal(hostText(reading(words)));
        assert.doesNotMatch(shellLine(['sh', '-c', words]), UNSEEN);
      }),
      { numRuns: 12 },
    );
  });

  it('no view of the editor gets Markdown or an icon of it', async function property() {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(hostile, async words => {
        const { analysis, run, file } = await planted(words);
        const note = {
          key: words,
          title: words,
          text: words,
          values: [words],
          defaults: [{ value: words, since: words, source: words }],
          scope: null,
          keySpan: { start: 0, end: 1 },
        } as unknown as Parameters<typeof keyNote>[0];
        checkMarkdown(keyNote(note));
        checkMarkdown(
          hover(run, {
            ...{
              quantity: 'optimizer',
              file,
              bar: 'https://evil.example/p.png',
              lengths: null,
              currentFit: words,
            },
            ...{ swatch: () => 'data:image/svg+xml;utf8,x', note: keyNoteSentences(note) },
          }),
        );
        checkMarkdown(breakdown(run, file));
        checkMarkdown(explanation({ ...analysis, file }, () => 'https://evil.example/p.png'));
        const [found] = clean.plans;
        assert.ok(found);
        const edits = found.edits.map(edit => ({
          ...edit,
          path: words,
          from: words,
          to: words,
          file: words,
        }));
        const plan = { ...found, edits };
        const options = { file, title: words, chart: null, advice: [], elsewhere: null };
        const page = planPage({ ...plan, effect: words, reason: words }, options);
        checkMarkdown(page);
        checkMarkdown(comparePage([], { title: words, file, left: null }));
        for (const { title } of lensTexts([run, { ...run, verdict: 'fits' }])) checkLabel(title);
        for (const { title } of lensTexts([run])) checkLabel(title);
        assert.doesNotMatch(lensTooltip(run), UNSEEN);
        for (const text of [planRow({ ...plan, effect: words }, file)].flatMap(
          ({ label, description, detail }) => [label, description, detail],
        )) {
          checkLabel(text);
        }
        assert.doesNotMatch(fixTitle({ ...plan, effect: words, title: words }, file), UNSEEN);
        for (const { message } of relatedPlaces(run)) assert.doesNotMatch(message, UNSEEN);
        const { text, spoken } = shortAnswer(run);
        assert.doesNotMatch(text + spoken, UNSEEN);
      }),
      { numRuns: 12 },
    );
  });
});

/** Plans for the GPU, for a run without a stranger's words. */
const plansOf = (run: RunAnalysis) =>
  searchPlans(
    contextOf(run),
    { goal: 'fit', margin: 0.85, mayTrade: true },
    () => Promise.resolve(),
    running,
  );

const job = (words: string): JobRecord =>
  ({
    ...{
      id: words,
      name: words,
      state: 'failed',
      kind: 'train',
      message: words,
      startedMs: 0,
      endedMs: 1,
      peaks: [],
    },
    ...{ place: { engine: 'ssh', alias: words, folder: words } },
  }) as unknown as JobRecord;

const reading = (words: string): Parameters<typeof hostText>[0] =>
  ({
    host: { id: words, kind: 'ssh', name: words },
    status: { state: 'stale', collector: words, latencyMs: 1, message: words, todo: words, text: words },
    devices: [{ key: 'a', index: 0, name: words, memoryTotalMiB: 1, memoryKind: 'own' }],
    samples: [],
    capacities: [{ place: words, gpu: words, gpusFree: 1, gpusTotal: 1, nodes: 1, note: words }],
    processes: [{ pid: 1, user: words, name: words, command: words, memoryUsedMiB: 1, gpuIndex: 0 }],
  }) as unknown as Parameters<typeof hostText>[0];
