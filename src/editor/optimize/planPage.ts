import { commands, l10n, window } from 'vscode';
import type { ComparedPlace } from '../../core/plan/places/fit';
import type { Place } from '../../core/compare/place';
import type { Elsewhere } from '../../core/render/planPage';
import { basename } from '../../core/text/paths';
import { Disposing } from '../../host/disposables';
import { dataUri, themeKind } from '../../host/pictures';
import { setting } from '../../host/settings';
import type { VirtualDocuments } from '../../host/virtualDocuments';
import type { Texts } from '../analyst';
import type { EditorServices } from '../services';
import type { PlanOnPage } from './planned';
import { textsWith } from './parts';

interface PlanPageServices extends EditorServices {
  readonly pages: VirtualDocuments;
}

/** The run before and after a plan, as a Markdown page: a chart, the same numbers as tables, and other GPUs. */
export class PlanPages extends Disposing {
  private draw: (() => Promise<void>) | null = null;

  constructor(private readonly services: PlanPageServices) {
    super();
    // A picture cannot follow the theme's colors by itself.
    this.store.add(window.onDidChangeActiveColorTheme(() => void this.draw?.()));
  }

  async show(planned: PlanOnPage): Promise<void> {
    let elsewhere: Elsewhere | null = null;
    const draw = async (): Promise<void> => {
      await this.write(planned, elsewhere);
    };
    this.draw = draw;
    const page = await this.write(planned, null);
    await commands.executeCommand('markdown.showPreviewToSide', page);
    // Not awaited: the other GPUs are added to the page when they are ready.
    void this.compare(planned).then(
      async compared => {
        elsewhere = compared;
        if (this.draw === draw) await draw();
      },
      (error: unknown) => this.services.log.error('Comparing a plan on other GPUs', error),
    );
  }

  private async write({ analyzed, plan, advice, steps }: PlanOnPage, elsewhere: Elsewhere | null) {
    const { planPage, planChart, stepChart } = await this.services.core();
    const chart = dataUri(planChart(plan.before, plan.after, themeKind()));
    const name = basename(analyzed.file);
    const title = l10n.t('Plan for {0}', name);
    const stepped = { plans: steps, chart: dataUri(stepChart(steps, themeKind())) };
    const options = { file: analyzed.file, title, chart, advice, steps: stepped, elsewhere };
    const text = planPage(plan, options);
    const at = `${analyzed.file.replace(/^\/+/, '')}/${l10n.t('{0} before and after', name)}.md`;
    return this.services.pages.page(at, text);
  }

  private async compare(planned: PlanOnPage): Promise<Elsewhere> {
    const { core, targets } = this.services;
    const [{ catalogPlaces, suitablePlaces, inOrder, withCount }, catalog, here] = await Promise.all([
      core(),
      targets.hardware.catalog(),
      targets.hardware.places(false),
    ]);
    const count = setting('target.gpuCount', planned.analyzed.document);
    const types = suitablePlaces(catalogPlaces(catalog, null), planned.run.run).places;
    const places = [...here, ...types].map(place => withCount(place, count));
    const before = await this.comparedWith(planned, places, {});
    const after = await this.comparedWith(planned, places, textsWith(planned.analyzed, planned.plan.edits));
    return { before, after: inOrder(after) };
  }

  private comparedWith(
    { analyzed, run }: PlanOnPage,
    places: readonly Place[],
    instead: Texts,
  ): Promise<readonly ComparedPlace[]> {
    const { file, options, document } = analyzed;
    const compare = {
      margin: setting('optimize.margin', document),
      mayTrade: setting('optimize.allowTradeOffs', document),
      details: false,
    };
    const text = instead[file] ?? analyzed.text;
    const request = { file, text, options, instead, run: run.run.name, places, compare };
    return this.services.analyst('compare', request);
  }
}
