import { Hover, l10n, languages } from 'vscode';
import type { HoverProvider } from 'vscode';
import { namesOf } from '../core/text/namesOf';
import { touches } from '../core/text/span';
import type { Span } from '../core/text/span';
import type { CommandId } from '../host/commands';
import type { Disposable } from '../host/disposables';
import { dataUri, themeKind } from '../host/pictures';
import type { KeyNote } from '../core/dialects/keyNotes';
import type { HoverOptions } from '../core/render/hover';
import { mdJoined } from '../core/text/markdown';
import type { Markdown } from '../core/text/markdown';
import { link, markdownView } from '../host/markdown';
import { offsetOn, placeOn } from '../host/pages';
import { setting } from '../host/settings';
import { isTrusted } from '../host/trust';
import type { Analyzed } from './analysisService';
import type { CurrentFit, CurrentFits } from './compare/currentFit';
import type { EditorServices } from './services';
import type { Core } from './loading';
import { findingsOf, neediest, statedIn } from './findings';
import { spokenIn } from './keyHelp';
import { genericReading } from './makeDialect';
import type { StatedQuantity } from './findings';
import { configSelector } from './selector';

/** The only commands that a hover's links may run. */
const LINKED: readonly CommandId[] = [
  'headroom.optimize',
  'headroom.chooseTarget',
  'headroom.compareGpus',
  'headroom.explain',
  'headroom.profileConfig',
  'headroom.countLengths',
  'headroom.makeDialect',
];

/** What a key that affects memory means, and what the run needs. */
export function registerHover(services: EditorServices, currentFits: CurrentFits): Disposable {
  const { analysis, core } = services;
  const provider: HoverProvider = {
    async provideHover(document, position, token) {
      const analyzed = await analysis.at(document, token);
      const hovered = analyzed && quantityAt(analyzed, offsetOn(analyzed.document, document, position));
      if (!hovered) return null;
      const [loaded, here, note] = await Promise.all([
        core(),
        currentFits.of(analyzed, hovered.run),
        noteOn(services, analyzed, hovered.at.keySpan.start),
      ]);
      return hoverOn(analyzed, hovered, loaded, { here, note });
    },
  };
  return languages.registerHoverProvider([...configSelector], provider);
}

/** A quantity under the pointer, and what is under it. */
interface Hovered extends StatedQuantity {
  readonly over: Span;
}

/**
 * The quantity whose key, one-line value, or name in a program is under the pointer; of several runs, that of the one
 * that needs most memory.
 */
function quantityAt({ document, file, text, analysis }: Analyzed, offset: number): Hovered | null {
  const all = statedIn(file, analysis.runs);
  const direct = all.filter(({ at }) => {
    const value = placeOn(document, at.valueSpan).range;
    return touches(at.keySpan, offset) || (value.isSingleLine && touches(at.valueSpan, offset));
  });
  const here =
    direct.length > 0 ? direct.map(one => ({ ...one, over: one.at.keySpan })) : namedAt(all, text, offset);
  const run = neediest(here.map(one => one.run));
  return here.find(one => one.run === run) ?? null;
}

/** The quantities whose value has a name under the pointer. */
const namedAt = (all: readonly StatedQuantity[], text: string, offset: number): readonly Hovered[] =>
  all.flatMap(one => {
    const over = namesOf(text, one.at.valueSpan, one.value).find(span => touches(span, offset));
    return over ? [{ ...one, over }] : [];
  });

function hoverOn(
  analyzed: Analyzed,
  { name, run, at, over }: Hovered,
  core: Core,
  { here, note }: { readonly here: CurrentFit | null; readonly note: KeyNote | null },
): Hover {
  const { document } = analyzed;
  const device = run.estimate?.devices[0];
  const theme = themeKind();
  const fitSentence = here?.isNews ? sentence(here.text) : null;
  const options: HoverOptions = {
    quantity: name,
    file: analyzed.file,
    text: analyzed.text,
    bar: device ? dataUri(core.memoryBar(device, theme)) : null,
    swatch: term => dataUri(core.swatch(term, theme)),
    lengths: run.data ? dataUri(core.lengthBars(run.data.record, run.data.limit, theme)) : null,
    links: links(analyzed, { name, run }, fitSentence !== null),
    note: note ? core.keyNoteSentences(note) : [],
    currentFit: fitSentence,
    isVerdictShown: isVerdictShown(analyzed, at),
  };
  return new Hover(markdownView(core.hover(run, options), LINKED), placeOn(document, over).range);
}

/** What the dialect knows of the key; null where it knows nothing, or no one wants to know. */
async function noteOn(
  { analyst }: EditorServices,
  analyzed: Analyzed,
  offset: number,
): Promise<KeyNote | null> {
  const dialect = spokenIn(analyzed);
  if (dialect === null || !setting('editor.keyHelp', analyzed.document.uri)) return null;
  return analyst('keyNote', { dialect, text: analyzed.text, offset });
}

/** Rules whose message starts with the verdict. */
const VERDICTS: ReadonlySet<string> = new Set(['does-not-fit', 'tight', 'unknown-model', 'no-estimate']);

/** A diagnostic on the key shows the verdict in the same hover. */
const isVerdictShown = (analyzed: Analyzed, at: StatedQuantity['at']): boolean =>
  setting('editor.diagnostics', analyzed.document.uri) &&
  findingsOf(analyzed).some(
    ({ finding }) => VERDICTS.has(finding.rule) && finding.file === at.file && finding.path === at.path,
  );

/** Actions, and the page with all terms; more only if the hover mentions them. */
function links(
  analyzed: Analyzed,
  { name, run }: Pick<StatedQuantity, 'name' | 'run'>,
  isNews: boolean,
): Markdown {
  const file = analyzed.document.uri.toString();
  const ofRun = (title: string, command: CommandId): Markdown => link(title, command, file, run.run.name);
  const first = genericReading(analyzed)
    ? link(l10n.t('Teach Headroom This Config Format'), 'headroom.makeDialect', file)
    : run.target
      ? ofRun(l10n.t('Optimize'), 'headroom.optimize')
      : link(l10n.t('Choose GPU'), 'headroom.chooseTarget');
  const all = [first, ofRun(l10n.t('All terms'), 'headroom.explain')];
  if (isNews) all.push(ofRun(l10n.t('Compare GPUs'), 'headroom.compareGpus'));
  if (isTrusted()) all.push(ofRun(l10n.t('Profile'), 'headroom.profileConfig'));
  if (isTrusted() && name === 'seqLen') {
    all.push(ofRun(l10n.t('Measure Data Lengths'), 'headroom.countLengths'));
  }
  return mdJoined(all, ' · ');
}

const sentence = (text: string): string => l10n.t('{0}.', `${text.charAt(0).toUpperCase()}${text.slice(1)}`);
