import { commands, l10n, ProgressLocation, TaskRevealKind, Uri, window, workspace } from 'vscode';
import type { QuickPickItem, WorkspaceFolder } from 'vscode';
import type { CommandId } from '../host/commands';
import { Refusal } from '../host/errors';
import { mustBeTrusted } from '../host/trust';
import { inform, pickOne, withProgress } from '../host/messages';
import type { JobRecord, JobRequest } from '../jobs/job';
import type { Jobs } from '../jobs/jobs';
import { resumedRequest } from '../jobs/request';
import { whyNotFetched } from '../jobs/job';
import type { JobBoard } from './board';
import { choosePlace, SEVERAL } from './choosePlace';
import type { ChosenPlace } from './choosePlace';
import type { HeadroomTask } from './definition';
import { fetchResults } from './fetchResults';
import { isOver, progressText } from './jobText';
import type { JobTerminals } from './jobTerminals';
import { placeOfCompared, placeOfWord, wordOfPlace } from './place';
import type { RunOfConfig, TaskServices } from './ports';
import { agreedAgain, NO_START_OPTIONS, prepare, secretsOf } from './prepare';
import type { Agreed } from './prepare';
import type { RememberedLimits } from './rememberedLimits';
import { prepareSpread } from './spread';
import type { Signal } from '../core/signal';
import { say } from '../host/say';
import { told } from '../core/text/say';

interface JobCommandServices extends TaskServices {
  readonly board: JobBoard;
  readonly terminals: JobTerminals;
  readonly limits: RememberedLimits;
  /** Aborts when the window closes. */
  readonly closing: Signal;
  /** This window follows the job from now on. */
  shown(id: string): void;
}

/** *Run Job*, and the commands for existing jobs. */
export class JobCommands {
  constructor(private readonly services: JobCommandServices) {}

  /** Asks where to run, shows the one screen, starts the job and follows it in a terminal. */
  async run(file: Uri | null, name: unknown): Promise<void> {
    const jobs = await this.jobs();
    const run = await this.services.configs.chosen(file, name);
    if (!run) return;
    const where = await this.where(run);
    if (!where) return;
    const { closing } = this.services;
    const agreed =
      where === SEVERAL
        ? await prepareSpread(this.services, jobs, run, closing)
        : await prepare(this.services, jobs, run, where, NO_START_OPTIONS, closing);
    if (!agreed) return;
    await this.start(jobs, agreed);
  }

  async stop(id: unknown): Promise<void> {
    const jobs = await this.jobs();
    const record = await this.job(id, l10n.t('Stop Job'), one => !isOver(one));
    if (!record) return;
    const ended = await withProgress(
      { location: { viewId: 'headroom.panel' }, title: l10n.t('Stopping {0}', record.name) },
      async () => jobs.stop(record.id, this.services.closing),
    );
    await this.services.board.look();
    // If the job has ended, the notifications report it.
    if (ended.message !== null && !isOver(ended)) {
      void inform(`${record.name}: ${told(say, ended.message)}`);
    }
  }

  /** Starts a job again from its last checkpoint if its framework can; shows the screen again. */
  async resume(id: unknown): Promise<void> {
    const jobs = await this.jobs();
    const record = await this.job(id, l10n.t('Resume Job'), isOver);
    if (!record) return;
    const again = resumedRequest(record, await jobs.secrets(record.id));
    if (!again.ok) throw new Refusal(again.why);
    const { limits, closing } = this.services;
    const request = await agreedAgain(limits, jobs, again.request, closing);
    if (request) await this.start(jobs, { request, secrets: secretsOf(request) });
  }

  /** Copies results from the machine where the job ran. */
  async fetch(id: unknown): Promise<void> {
    const jobs = await this.jobs();
    const record = await this.job(id, l10n.t('Download Job Results'), one => whyNotFetched(one) === null);
    if (record) await fetchResults(jobs, record);
  }

  async showOutput(id: unknown): Promise<void> {
    await this.jobs();
    const record = await this.job(id, l10n.t('Show Job Output'), () => true);
    if (record) await this.follow(record);
  }

  async openConfig(id: unknown): Promise<void> {
    const file = typeof id === 'string' ? this.services.board.get(id)?.record.config?.file : undefined;
    if (file !== undefined) await window.showTextDocument(Uri.file(file));
  }

  async showJobs(): Promise<void> {
    await this.jobs();
    const panel: CommandId = 'headroom.showPanel';
    await commands.executeCommand(panel);
    if (this.services.board.all().length > 0) return;
    void inform(l10n.t('No jobs yet. Click “Run …” above a config to start one.'));
  }

  /** Starts a job for a task whose definition has none. */
  starter(task: HeadroomTask, folder: WorkspaceFolder | null) {
    return async (signal: Signal): Promise<JobRecord | null> => {
      const jobs = await this.jobs();
      const run = await this.runOf(task, folder);
      const where = run && (await this.placeOf(task, run));
      const agreed = where && (await prepare(this.services, jobs, run, where, task, signal));
      if (!agreed || signal.aborted) return null;
      const record = await jobs.start(agreed.request, agreed.secrets, signal);
      await this.services.board.look();
      return record;
    };
  }

  /** Shows a job in its terminal; an existing one comes to the front. */
  async follow(record: JobRecord): Promise<void> {
    const { board, terminals } = this.services;
    await board.look();
    if (!isOver(record)) this.services.shown(record.id);
    await terminals.show(record, TaskRevealKind.Always);
  }

  /** Starts an accepted job and follows it. Canceling during the start leaves a failed job on the board. */
  private async start(jobs: Jobs, { request, secrets }: Agreed): Promise<void> {
    const { closing, board } = this.services;
    const record = await starting(request, closing, signal => jobs.start(request, secrets, signal));
    if (record) await this.follow(record);
    else await board.look();
  }

  private async jobs(): Promise<Jobs> {
    mustBeTrusted(l10n.t('Jobs are unavailable in Restricted Mode. Trust the workspace first.'));
    const jobs = await this.services.board.begin();
    if (!jobs) throw new Refusal(l10n.t("Couldn't load jobs. See the log for the reason."));
    return jobs;
  }

  private async where(run: RunOfConfig): Promise<ChosenPlace | typeof SEVERAL | null> {
    const title = l10n.t('Run {0}', `${workspace.asRelativePath(run.uri)} ${run.analysis.run.name}`.trim());
    const { configs, machines } = this.services;
    return choosePlace(title, run, async requested => {
      const rows = await configs.places(run, requested);
      return { rows, parts: await machines.parts(), mayBeSpread: await this.mayBeSpread(run) };
    });
  }

  /** An embedding by Headroom's own engine, if other machines are known. */
  private async mayBeSpread(run: RunOfConfig): Promise<boolean> {
    const { configs, machines } = this.services;
    if (!run.analysis.run.quantities.task.value?.startsWith('embed') || !machines.hasOthers()) return false;
    const command = await configs.command(run, { kind: 'embed', gpus: 1, isHere: true, filled: {} });
    return command.ok && command.isOwn;
  }

  private async runOf(
    { config, run }: HeadroomTask,
    folder: WorkspaceFolder | null,
  ): Promise<RunOfConfig | null> {
    const { configs } = this.services;
    if (config === null) return configs.chosen(null, run);
    const uri = folder && !config.startsWith('/') ? Uri.joinPath(folder.uri, config) : Uri.file(config);
    const found = await configs.named(uri, run);
    if (!found) throw new Refusal(l10n.t("{0} isn't a config format that Headroom knows.", config));
    return found;
  }

  private async placeOf({ place }: HeadroomTask, run: RunOfConfig): Promise<ChosenPlace | null> {
    const known = placeOfWord(place);
    if (!known) throw new Refusal(l10n.t("“{0}” isn't a valid place to run.", place));
    const rows = await this.services.configs.places(run, known.engine !== 'local');
    const row = rows.find(({ place: { kind, id } }) => {
      const chosen = placeOfCompared(kind, id);
      return chosen !== null && wordOfPlace(chosen) === place;
    });
    return { place: known, row: row ?? null, type: null };
  }

  /** The named job, else the only one, else a picked one. Null: the user canceled. */
  private async job(
    id: unknown,
    title: string,
    isOffered: (record: JobRecord) => boolean,
  ): Promise<JobRecord | null> {
    const { board } = this.services;
    await board.look();
    if (typeof id === 'string') {
      const view = board.get(id);
      if (!view) throw new Refusal(l10n.t("Job {0} doesn't exist.", id));
      return view.record;
    }
    const offered = board.all().filter(({ record }) => isOffered(record));
    const [first] = offered;
    if (!first) throw new Refusal(l10n.t('No matching jobs.'));
    if (offered.length === 1) return first.record;
    const items: (QuickPickItem & { record: JobRecord })[] = offered.map(({ record, progress }) => ({
      label: record.name,
      description: progressText(record, progress, say),
      detail: new Date(record.createdMs).toLocaleString(),
      record,
    }));
    return (await pickOne(items, { title, matchOnDescription: true }))?.record ?? null;
  }
}

/**
 * A start takes a while if files must be copied to another machine first; there it can be canceled. Null: it was
 * canceled.
 */
async function starting(
  { name, place }: JobRequest,
  closing: Signal,
  start: (signal: Signal) => Promise<JobRecord>,
): Promise<JobRecord | null> {
  const title = l10n.t('Starting {0}', name);
  const options =
    place.engine === 'local'
      ? { location: { viewId: 'headroom.panel' }, title }
      : { location: ProgressLocation.Notification, title, cancellable: true };
  return withProgress(options, async (_, token) => {
    const isCanceled = () => token.isCancellationRequested;
    const signal: Signal = {
      get aborted() {
        return isCanceled() || closing.aborted;
      },
    };
    return start(signal).catch((error: unknown) => {
      if (isCanceled()) return null;
      throw error;
    });
  });
}
