import { EventEmitter } from 'vscode';
import type { Event } from 'vscode';
import type { RunAnalysis } from '../../core/rules/analysis';
import type { Place } from '../../core/compare/place';
import { Disposing } from '../../host/disposables';
import { setting } from '../../host/settings';
import type { Analyzed } from '../analysisService';
import type { EditorServices } from '../services';

/** How a run fits the available GPUs, and whether the lens above the config already says it. */
export interface CurrentFit {
  /** `fits on 2 of 8 GPUs here now`. */
  readonly text: string;
  readonly isNews: boolean;
}

const OPTIONS = { margin: 1, mayTrade: false, details: false } as const;

/** How runs fit the available GPUs as last read: computed once per analysis, on request. */
export class CurrentFits extends Disposing {
  private readonly changed = this.store.add(new EventEmitter<void>());
  private known = new WeakMap<RunAnalysis, Promise<CurrentFit | null>>();

  readonly onDidChange: Event<void> = this.changed.event;

  constructor(private readonly services: EditorServices) {
    super();
    this.store.add(
      services.targets.onDidChange(() => {
        this.known = new WeakMap();
        this.changed.fire();
      }),
    );
  }

  /** Null if no GPU is known, or there is nothing to say about the run. */
  of(analyzed: Analyzed, run: RunAnalysis): Promise<CurrentFit | null> {
    const known = this.known.get(run) ?? this.workOut(analyzed, run);
    this.known.set(run, known);
    return known;
  }

  private async workOut(
    { document, file, text, options }: Analyzed,
    run: RunAnalysis,
  ): Promise<CurrentFit | null> {
    const { analyst, core, targets, log } = this.services;
    if (!run.estimate || run.estimate.onMachine || run.tentative) return null;
    try {
      const places = (await targets.hardware.places(false)).filter(isMachine);
      if (places.length === 0) return null;
      const { hereText, withCount } = await core();
      const count = setting('target.gpuCount', document);
      const counted = places.map(place => withCount(place, count));
      const of = { file, text, options, run: run.run.name };
      const fitText = hereText(await analyst('compare', { ...of, places: counted, compare: OPTIONS }));
      return fitText === null ? null : { text: fitText, isNews: isNews(run, places) };
    } catch (error) {
      log.error('Show which available GPUs fit this run', error);
      return null;
    }
  }
}

const isMachine = ({ kind }: Place): boolean => kind === 'local' || kind === 'ssh';

/** Not news if the run is already compared with the only place. */
function isNews({ target }: RunAnalysis, places: readonly Place[]): boolean {
  const [only, ...others] = places;
  return others.length > 0 || target?.kind !== 'present' || target.name !== only?.target.name;
}
