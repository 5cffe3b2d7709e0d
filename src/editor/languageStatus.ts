import { l10n, languages, LanguageStatusSeverity } from 'vscode';
import type { LanguageStatusItem } from 'vscode';
import type { Verdict } from '../core/memory/estimate';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { onActiveConfig } from './activeConfig';
import type { AnalysisEvent } from './analysisService';
import type { EditorServices } from './services';
import type { Core } from './loading';
import { neediest } from './findings';
import { configSelector } from './selector';

/** An estimate is a warning, never an error of the file. */
const SEVERITIES: Readonly<Record<Verdict, LanguageStatusSeverity>> = {
  fits: LanguageStatusSeverity.Information,
  unknown: LanguageStatusSeverity.Information,
  tight: LanguageStatusSeverity.Information,
  exceeds: LanguageStatusSeverity.Warning,
};

/** The verdict of the active file next to its language mode; nothing for other files. */
export function registerLanguageStatus({ analysis, core }: EditorServices): Disposable {
  const store = new DisposableStore();
  let item: LanguageStatusItem | null = null;
  const hide = (): void => {
    item?.dispose();
    item = null;
  };
  const show = (event: AnalysisEvent | null, loaded: Core): void => {
    const content = event && words(event, loaded);
    if (!content) {
      hide();
      return;
    }
    item ??= languages.createLanguageStatusItem('headroom.answer', [...configSelector]);
    Object.assign(item, { name: 'Headroom', ...content });
  };
  let latest: AnalysisEvent | null = null;
  store.add({ dispose: hide });
  store.add(
    onActiveConfig(analysis, event => {
      latest = event;
      if (!event?.analyzed && !event?.problem) hide();
      else void core().then(loaded => latest === event && show(event, loaded));
    }),
  );
  return store;
}

type Words = Pick<LanguageStatusItem, 'text' | 'severity' | 'command' | 'accessibilityInformation'> & {
  readonly detail: string;
};

function words({ document, analyzed, problem }: AnalysisEvent, core: Core): Words | null {
  if (problem !== null) return troubled(problem);
  const runs = analyzed?.analysis.runs.filter(run => run.judged) ?? [];
  const run = neediest(runs);
  if (!run) return null;
  const text = core.answer(run);
  return {
    text,
    accessibilityInformation: { label: l10n.t('Headroom: {0}', text) },
    detail: runs.length > 1 ? l10n.t('{0} (largest of {1} runs)', run.run.name, runs.length) : '',
    severity: SEVERITIES[run.verdict],
    command: {
      title: l10n.t('Explain'),
      command: 'headroom.explain',
      arguments: [document.uri.toString(), run.run.name],
    },
  };
}

const troubled = (problem: string): Words => ({
  text: problem,
  accessibilityInformation: { label: l10n.t('Headroom: {0}', problem) },
  detail: '',
  severity: LanguageStatusSeverity.Warning,
  command: { title: l10n.t('Show Log'), command: 'headroom.showLog' },
});
