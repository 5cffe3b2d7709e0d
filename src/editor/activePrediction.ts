import { EventEmitter } from 'vscode';
import type { Event } from 'vscode';
import type { Prediction } from '../core/analyse/prediction';
import { basename } from '../core/text/paths';
import { Disposing } from '../host/disposables';
import { onActiveConfig } from './activeConfig';
import type { AnalysisEvent, AnalysisService } from './analysisService';
import { neediest } from './findings';
import { MIB } from '../core/units';

/**
 * The estimated memory of the active config. It stays when the focus moves to an editor without a config, because
 * the GPU panel is used next to a run's config; it is cleared when its document closes.
 */
export class ActivePrediction extends Disposing {
  private readonly changed = this.store.add(new EventEmitter<Prediction | null>());
  private latest: Prediction | null = null;

  readonly onDidChange: Event<Prediction | null> = this.changed.event;

  constructor(analysis: AnalysisService) {
    super();
    this.store.add(onActiveConfig(analysis, event => this.onNews(event)));
    this.store.add(
      analysis.onDidAnalyze(({ document, analyzed }) => {
        if (analyzed === null && document.uri.toString() === this.latest?.file) this.set(null);
      }),
    );
  }

  current(): Prediction | null {
    return this.latest;
  }

  private onNews(event: AnalysisEvent | null): void {
    if (event?.analyzed) this.set(predictionOf(event));
  }

  private set(prediction: Prediction | null): void {
    if (JSON.stringify(prediction) === JSON.stringify(this.latest)) return;
    this.latest = prediction;
    this.changed.fire(prediction);
  }
}

/** The prediction of the run that needs most; null if it is unknown, or if the format was only guessed. */
function predictionOf({ document, analyzed }: AnalysisEvent): Prediction | null {
  const run = neediest(analyzed?.analysis.runs.filter(({ judged }) => judged) ?? []);
  const device = run?.estimate?.devices[0];
  if (!run || !device || run.tentative) return null;
  const { low, expected, high } = device.device;
  return {
    config: basename(document.uri.path),
    file: document.uri.toString(),
    run: run.run.name,
    lowMiB: low / MIB,
    expectedMiB: expected / MIB,
    highMiB: high / MIB,
    basis: run.evidence?.kind ?? null,
    target: run.target?.name ?? null,
  };
}
