import { Hover, l10n, languages, MarkdownString } from 'vscode';
import type { HoverProvider, Position } from 'vscode';
import { touches } from '../core/text/span';
import { commandLink } from '../host/commands';
import type { CommandId } from '../host/commands';
import type { Disposable } from '../host/disposables';
import { dataUri, themeKind } from '../host/pictures';
import { rangeOf } from '../host/ranges';
import { setting } from '../host/settings';
import { isTrusted } from '../host/trust';
import type { Analysed } from './analysisService';
import type { CurrentFit, CurrentFits } from './compare/currentFit';
import type { Core } from './core';
import { findingsOf } from './findings';
import { spokenIn } from './keyHelp';
import { genericReading } from './makeDialect';
import { neediest, statedIn } from './runPlaces';
import type { StatedQuantity } from './runPlaces';
import { configSelector } from './selector';
import type { EditorServices } from './services';

/** The only commands that a hover's links may run. */
const LINKED: readonly CommandId[] = [
  'headroom.optimize',
  'headroom.chooseTarget',
  'headroom.compareGpus',
  'headroom.explain',
  'headroom.profileConfig',
  'headroom.countLengths',
  'headroom.makeDialect',
  'headroom.showRule',
];

/** The whole memory sum at every key that has a share in it. */
export function registerHover({ analysis, core }: EditorServices, currentFits: CurrentFits): Disposable {
  const provider: HoverProvider = {
    async provideHover(document, position, token) {
      const analysed = await analysis.at(document, token);
      const hovered = analysed && quantityAt(analysed, position);
      if (!hovered) return null;
      const [loaded, here] = await Promise.all([core(), currentFits.of(analysed, hovered.run)]);
      return hoverOn(analysed, hovered, loaded, here);
    },
  };
  return languages.registerHoverProvider([...configSelector], provider);
}

/** The quantity whose key, or one-line value, is under the pointer; of several runs the neediest one's. */
function quantityAt({ document, file, analysis }: Analysed, position: Position): StatedQuantity | null {
  const offset = document.offsetAt(position);
  const here = statedIn(file, analysis.runs).filter(({ at }) => {
    const value = rangeOf(document, at.valueSpan);
    return touches(at.keySpan, offset) || (value.isSingleLine && touches(at.valueSpan, offset));
  });
  const run = neediest(here.map(one => one.run));
  return here.find(one => one.run === run) ?? null;
}

function hoverOn(
  analysed: Analysed,
  { name, run, at }: StatedQuantity,
  core: Core,
  here: CurrentFit | null,
): Hover {
  const { document } = analysed;
  const device = run.estimate?.devices[0];
  const bar = device ? dataUri(core.memoryBar(device, themeKind())) : null;
  const options = {
    quantity: name,
    file: analysed.file,
    bar,
    lengths: run.data ? dataUri(core.lengthBars(run.data.record, run.data.limit, themeKind())) : null,
    links: [here?.isNews ? sentence(here.text) : '', links(analysed, { name, run, at })]
      .filter(Boolean)
      .join('\n\n'),
    note: noteOn(analysed, at.keySpan.start, core),
  };
  const markdown = new MarkdownString(core.hover(run, options));
  markdown.isTrusted = { enabledCommands: LINKED };
  return new Hover(markdown, rangeOf(document, at.keySpan));
}

/** What the dialect knows of the key; null where it knows nothing, or nobody wants to know. */
function noteOn(analysed: Analysed, offset: number, core: Core): string | null {
  const dialect = spokenIn(analysed);
  if (dialect === null || !setting('editor.keyHelp', analysed.document.uri)) return null;
  const note = core.keyNoteAt(dialect, analysed.text, offset);
  return note && core.keyNoteLine(note);
}

function links(analysed: Analysed, { run, at }: StatedQuantity): string {
  const file = analysed.document.uri.toString();
  const all = [
    genericReading(analysed)
      ? link(l10n.t('Teach Headroom This Config Format'), 'headroom.makeDialect', file)
      : link(l10n.t('Optimize'), 'headroom.optimize', file, run.run.name),
    link(l10n.t('Choose GPU'), 'headroom.chooseTarget'),
    link(l10n.t('Compare GPUs'), 'headroom.compareGpus', file, run.run.name),
    link(l10n.t('Explain'), 'headroom.explain', file, run.run.name),
    ...(isTrusted() ? trustedLinks(file, run.run.name) : []),
  ];
  const here = findingsOf(analysed).filter(
    ({ finding }) => finding.file === at.file && finding.path === at.path,
  );
  const rules = new Set(here.map(({ finding }) => finding.rule));
  for (const rule of rules) all.push(link(rule, 'headroom.showRule', rule));
  return all.join(' · ');
}

const trustedLinks = (file: string, run: string): readonly string[] => [
  link(l10n.t('Profile'), 'headroom.profileConfig', file, run),
  link(l10n.t('Measure Data Lengths'), 'headroom.countLengths', file, run),
];

const link = (title: string, command: CommandId, ...args: readonly unknown[]): string =>
  `[${title}](${commandLink(command, ...args)})`;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
