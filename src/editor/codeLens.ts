import { CodeLens, EventEmitter, l10n, languages, Range } from 'vscode';
import type { CodeLensProvider, Command, TextDocument } from 'vscode';
import type { LensText } from '../core/render/lens';
import type { RunAnalysis } from '../core/rules/analysis';
import { basename } from '../core/text/paths';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { isCell, placeOn } from '../host/pages';
import type { Page } from '../host/pages';
import { isTrusted } from '../host/trust';
import { pathOf } from '../host/uris';
import type { Analyzed, AnalysisService } from './analysisService';
import type { EditorServices } from './services';
import type { Core } from './loading';
import { findingsByFile, neediest } from './findings';
import { genericReading } from './makeDialect';
import { locationIn } from './places';
import { profileOffer } from './profile/lens';
import { configSelector } from './selector';
import { downloadable, UNKNOWN_MODEL } from './unknownModel';
import { isOfGpu } from '../core/memory/gap';

/**
 * A run of another open document that depends on this one, such as a job script or a config that uses this
 * DeepSpeed file.
 */
interface Use {
  readonly by: Analyzed;
  readonly run: RunAnalysis;
}

/**
 * Runs of other open documents that take values from a document, except those that the document itself leads to.
 */
function usesOf(analysis: AnalysisService, document: Page): readonly Use[] {
  const path = pathOf(document.uri);
  const all = analysis.all();
  const own = all.find(one => one.document === document)?.analysis.runs ?? [];
  const led = new Set(own.flatMap(({ run }) => run.sources.map(source => source.path)));
  return all
    .filter(by => by.document !== document && !led.has(by.file))
    .flatMap(by =>
      by.analysis.runs
        .filter(({ judged, run }) => judged && run.sources.some(source => source.path === path))
        .map(run => ({ by, run })),
    );
}

/** The verdict of each run above its first key: what it needs, and whether that fits. */
export function registerCodeLens({ analysis, core }: EditorServices): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new EventEmitter<void>());
  const provider: CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    async provideCodeLenses(document, token) {
      const analyzed = await analysis.at(document, token);
      const uses = isCell(document) ? [] : usesOf(analysis, document);
      if (!analyzed && uses.length === 0) return null;
      const loaded = await core();
      const own = analyzed ? lenses(analyzed, document, loaded) : [];
      return [...own, ...usedBy(document, uses, own[0]?.range ?? null, loaded)];
    },
  };
  store.add(analysis.onDidAnalyze(() => changed.fire()));
  store.add(languages.registerCodeLensProvider([...configSelector], provider));
  return store;
}

/**
 * Runs that begin together (stages of one config) share a line, which ends with the actions for the one that needs
 * most.
 */
function lenses(analyzed: Analyzed, document: TextDocument, core: Core): CodeLens[] {
  const groups = [...runsByStart(analyzed)];
  return groups.flatMap(([start, runs], i) => {
    const { uri, range } = placeOn(analyzed.document, { start, end: start });
    if (uri.toString() !== document.uri.toString()) return [];
    const commands = core.lensTexts(runs).map(text => verdict(core, analyzed, text));
    const most = neediest(runs);
    if (most) {
      commands.push(
        ...offers(analyzed, most),
        ...knownModel(analyzed, most, core),
        ...runnable(analyzed, most, core),
      );
      commands.push(...profileOffer(analyzed, most));
    }
    if (i === 0) commands.push(...elsewhere(analyzed), ...ownDialect(analyzed));
    return commands.map(command => new CodeLens(range, command));
  });
}

function runsByStart({ analysis, anchors }: Analyzed): ReadonlyMap<number, RunAnalysis[]> {
  const groups = new Map<number, RunAnalysis[]>();
  for (const [i, run] of analysis.runs.entries()) {
    const start = anchors[i]?.start;
    if (start === undefined || !run.judged) continue;
    groups.set(start, [...(groups.get(start) ?? []), run]);
  }
  return groups;
}

function verdict(core: Core, { document }: Analyzed, { run, title }: LensText): Command {
  return {
    title,
    tooltip: l10n.t('{0}. Show the breakdown.', core.lensTooltip(run)),
    command: 'headroom.explain',
    arguments: [document.uri.toString(), run.run.name],
  };
}

/** The verdicts of other open files that take values from this one: a job script, a config that names it. */
function usedBy(
  document: TextDocument,
  uses: readonly Use[],
  verdictRange: Range | null,
  core: Core,
): CodeLens[] {
  const range = verdictRange ?? new Range(firstLine(document), 0, firstLine(document), 0);
  return uses.flatMap(({ by, run }) =>
    core.lensTexts([run]).map(text => {
      const [, icon = '', label = ''] = /^(\$\([\w-]+\)\u00a0)?(.*)$/.exec(text.title) ?? [];
      const title = `${icon}${basename(by.file)} · ${label}`;
      return new CodeLens(range, { ...verdict(core, by, text), title });
    }),
  );
}

/** The first line that is not a comment. */
function firstLine(document: TextDocument): number {
  const lines = Array.from({ length: Math.min(document.lineCount, MOST_COMMENTS) }, (_, line) => line);
  return lines.find(line => /^\s*[^\s#]/.test(document.lineAt(line).text)) ?? 0;
}

const MOST_COMMENTS = 200;

/** A serving engine takes a share of a GPU: without a GPU there is no estimate. */
const wantsGpu = ({ gaps = [] }: RunAnalysis): boolean => gaps.some(isOfGpu);

/** Actions for the verdict. */
function offers({ document }: Analyzed, run: RunAnalysis): Command[] {
  if (run.target === null && (run.estimate || wantsGpu(run))) {
    const title = l10n.t('Choose GPU …');
    return [{ title, tooltip: l10n.t('Choose the GPU you will run on'), command: 'headroom.chooseTarget' }];
  }
  if (!run.findings.some(finding => finding.fixable)) return [];
  const tooltip = l10n.t('Compare changes that fit the GPU or use it better');
  const args = [document.uri.toString(), run.run.name];
  return [{ title: l10n.t('Optimize …'), tooltip, command: 'headroom.optimize', arguments: args }];
}

/** Makes an unknown model known in one click. */
function knownModel({ document }: Analyzed, run: RunAnalysis, core: Core): Command[] {
  if (!run.findings.some(({ rule }) => rule === UNKNOWN_MODEL)) return [];
  const args = [document.uri.toString(), run.run.name];
  const id = downloadable(core, run);
  const download = {
    title: l10n.t('Download config.json'),
    tooltip: l10n.t('Download the architecture of {0} from the Hugging Face Hub, a few kB', id ?? ''),
    command: 'headroom.downloadModelConfig',
    arguments: args,
  };
  const like = {
    title: l10n.t('Estimate as …'),
    tooltip: l10n.t('Use the architecture of a known model of about the same size'),
    command: 'headroom.estimateAs',
    arguments: args,
  };
  return id === null ? [like] : [download, like];
}

/** A run can be started if its framework says how, and only in a trusted folder. */
function runnable({ document }: Analyzed, { run, tentative }: RunAnalysis, core: Core): Command[] {
  const starter = isTrusted() && !tentative ? core.starterOfRun(run) : null;
  if (starter === null) return [];
  const isOurs = starter === 'engine';
  const title = isOurs ? l10n.t('Embed …') : l10n.t('Run …');
  const tooltip = isOurs
    ? l10n.t("Embed the texts with Headroom's own engine")
    : l10n.t('Run as a job on this machine, a host or a cluster');
  const args = [document.uri.toString(), run.name];
  return [{ title, tooltip, command: 'headroom.runJob', arguments: args }];
}

/** Offers to turn a generic reading into a dialect that the user can correct. */
function ownDialect(analyzed: Analyzed): Command[] {
  if (!genericReading(analyzed)) return [];
  const title = l10n.t('Teach Headroom This Config Format …');
  const tooltip = l10n.t('Create a file that describes this config format, which you can then correct');
  return [{ title, tooltip, command: 'headroom.makeDialect', arguments: [analyzed.document.uri.toString()] }];
}

/** Findings in other files of the run, which the user would not see otherwise. */
function elsewhere(analyzed: Analyzed): Command[] {
  return [...findingsByFile(analyzed)].flatMap(([file, [first, ...more]]) => {
    if (!first || file === analyzed.file) return [];
    const name = basename(file);
    const count = 1 + more.length;
    const title = count === 1 ? l10n.t('1 finding in {0}', name) : l10n.t('{0} findings in {1}', count, name);
    const { uri, range } = locationIn(analyzed, file, first.finding.span);
    return [
      {
        title,
        tooltip: first.finding.message,
        command: 'vscode.open',
        arguments: [uri, { selection: range }],
      },
    ];
  });
}
