import { commands, env, l10n } from 'vscode';
import type { Signal } from '../core/signal';
import { basename } from '../core/text/paths';
import type { CommandId } from '../host/commands';
import { Refusal } from '../host/errors';
import { setting } from '../host/settings';
import { openPages } from '../host/pages';
import { uriOf } from '../host/uris';
import { askText, decide } from '../host/messages';
import type { JobKind, JobLimits, JobPlace, JobRecord, JobRequest } from '../jobs/job';
import type { Jobs } from '../jobs/jobs';
import { limitsOf } from '../jobs/limitsText';
import { startView } from '../jobs/startView';
import type { Outlook, StartView } from '../jobs/startView';
import { chooseLimits } from './chooseLimits';
import type { ChosenPlace } from './choosePlace';
import type { FreeGpu } from '../core/compare/machines';
import type { Machines, RunOfConfig, TaskServices, Way } from './ports';
import type { RememberedLimits } from './rememberedLimits';
import { freest, outlookOf, requestOf, unpromised } from './request';
import type { Choice, Startable } from './request';
import { say } from '../host/say';

/** The user's answer to the start screen. */
type Answer = 'start' | 'optimize' | 'limits' | 'leave';

/** Outlooks in which a start would most likely fail: Enter then does something else. */
const WARNINGS: ReadonlySet<Outlook> = new Set<Outlook>(['refused', 'crowded', 'no GPU']);

/** What the screen offers in addition to starting. */
interface Offered {
  /** A scheduler accepts further limits. */
  readonly limits: boolean;
  /** Plans that fit can be searched. */
  readonly plans: boolean;
}

/** Shows the one screen before a start. Enter presses the first button. */
async function confirmStart(view: StartView, outlook: Outlook, offered: Offered): Promise<Answer> {
  const isWarning = WARNINGS.has(outlook);
  const start = isWarning ? l10n.t('Run Anyway') : outlook === 'waits' ? l10n.t('Queue') : l10n.t('Start');
  const optimize = l10n.t('Optimize …');
  const limits = l10n.t('Change Resources …');
  const copy = l10n.t('Copy Command');
  const others = [...(offered.limits ? [limits] : []), copy];
  const first = outlook === 'refused' && offered.plans ? [optimize] : [];
  const buttons = isWarning ? [...first, ...others, start] : [start, ...others];
  const said = { title: view.title, lines: linesOf(view) };
  const chosen = await decide(isWarning ? 'warning' : 'question', said, ...buttons);
  if (chosen === copy) await env.clipboard.writeText(view.command);
  if (chosen === optimize) return 'optimize';
  return chosen === start ? 'start' : chosen === limits ? 'limits' : 'leave';
}

/** The screen as text below its title. */
const linesOf = ({ command, rows }: StartView): readonly string[] => [
  command,
  '',
  ...rows.map(([label, texts]) => `${label}: ${joined(texts)}`),
];

/** Joins sentences. */
const joined = (texts: readonly string[]): string =>
  texts.join(texts.every(text => text.endsWith('.')) ? ' ' : '; ');

/** What a task's definition says about a start in addition to its place. */
interface StartOptions {
  readonly kind: JobKind;
  readonly gpus: number | null;
  readonly args: readonly string[];
  /** Resources to request from a scheduler; null: the same as last time. */
  readonly limits: JobLimits | null;
}

export const NO_START_OPTIONS: StartOptions = { kind: 'train', gpus: null, args: [], limits: null };

export interface PrepareServices extends TaskServices {
  readonly limits: RememberedLimits;
}

/** A start that the user has accepted. */
export interface Agreed {
  readonly request: JobRequest;
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * From a run and its place to a start that the user accepts: saves the files, fills in the command, chooses the
 * GPUs with the most free memory, shows the one screen. Null: the user canceled.
 */
export async function prepare(
  services: PrepareServices,
  jobs: Jobs,
  run: RunOfConfig,
  where: ChosenPlace,
  options: StartOptions,
  signal: Signal,
): Promise<Agreed | null> {
  await saveFiles(run);
  const saved = (await services.configs.named(run.uri, run.analysis.run.name)) ?? run;
  const choice = await chosenGpus(services, jobs, saved, where, requestedGpus(options));
  const way = {
    kind: options.kind,
    gpus: Math.max(1, choice.count),
    isHere: where.place.engine === 'local',
    filled: {},
  };
  const command = await filledIn(services, saved, way);
  if (command === null) return null;
  const { file, analysis } = saved;
  const limits = options.limits ?? services.limits.of(where.place);
  const draft = requestOf({ file, analysis, command, extra: options.args, choice, limits });
  const request = await agreed({ jobs, choice, signal, limits: services.limits }, draft, mayGoAtOnce());
  return request && { request, secrets: secretsOf(request) };
}

/** Work on the CPU needs no GPU memory. */
const outlookFor = ({ kind, gpus, estimate }: JobRequest, choice: Choice): Outlook =>
  kind !== 'train' && gpus.count === 0 ? 'goes' : outlookOf(estimate, choice);

const mayGoAtOnce = (): boolean => setting('run.confirm') === 'whenItDoesNotFit';

/** Input of the screen. */
interface Showing {
  readonly jobs: Jobs;
  readonly choice: Choice;
  readonly signal: Signal;
  readonly limits: RememberedLimits;
}

/** For a local job whose work runs elsewhere: where, and how it fares. */
interface Elsewhere {
  readonly where: string;
  readonly also: readonly string[];
}

/** The request as the user accepted it; null: canceled. Skips the screen if `atOnce` is set and the run fits. */
export async function agreed(
  showing: Showing,
  draft: JobRequest,
  atOnce: boolean,
  elsewhere: Elsewhere | null = null,
): Promise<JobRequest | null> {
  const outlook = outlookFor(draft, showing.choice);
  // A missing GPU is worth a warning, but must not block a start that needs no confirmation.
  if (atOnce && (outlook === 'goes' || outlook === 'no GPU')) return draft;
  let request = draft;
  for (;;) {
    const answer = await shown(showing, request, outlook, elsewhere);
    if (answer === 'optimize') {
      const optimize: CommandId = 'headroom.optimize';
      const { file, run } = request.config ?? {};
      void commands.executeCommand(optimize, file === undefined ? undefined : uriOf(file).toString(), run);
    }
    if (answer !== 'limits') return answer === 'start' ? request : null;
    const limits = await chooseLimits(request.place, request.limits);
    showing.limits.keep(request.place, limits);
    request = { ...request, limits };
  }
}

async function shown(
  { jobs, choice, signal }: Showing,
  request: JobRequest,
  outlook: Outlook,
  elsewhere: Elsewhere | null,
): Promise<Answer> {
  const also = await jobs.plan(request, signal);
  const view = startView(
    request,
    {
      gpus: choice.gpus,
      target: choice.row?.place.target ?? null,
      outlook,
      ...(elsewhere && { where: elsewhere.where }),
      also: [...(elsewhere?.also ?? []), ...also],
    },
    say,
  );
  const plans = request.kind === 'train' && request.config !== null;
  return confirmStart(view, outlook, { limits: limitsOf(request.place).length > 0, plans });
}

/** The same for an existing request: a job that is resumed. */
export async function agreedAgain(
  limits: RememberedLimits,
  jobs: Jobs,
  request: JobRequest,
  signal: Signal,
): Promise<JobRequest | null> {
  const { place, gpus } = request;
  const choice: Choice = { place, row: null, count: gpus.count, gpus: [], type: gpus.type ?? null };
  return agreed({ jobs, choice, signal, limits }, request, false);
}

/** The saved files are what runs, so unsaved files of the run are saved, as before every task. */
export async function saveFiles({ uri, analysis }: RunOfConfig): Promise<void> {
  const files = new Set([uri.toString(), ...analysis.run.sources.map(({ path }) => uriOf(path).toString())]);
  for (const document of openPages()) {
    if (!document.isDirty || !files.has(document.uri.toString())) continue;
    if (document.isUntitled || !(await document.save())) {
      throw new Refusal(
        l10n.t("{0} isn't saved. A run reads its config from the disk.", basename(document.uri.path)),
      );
    }
  }
}

/** A dry run needs no GPU; a probe does. */
const requestedGpus = ({ kind, gpus, args }: StartOptions): number | null =>
  gpus ?? (kind === 'profile' && !args.includes('--probe') ? 0 : null);

/** On this machine, without the memory that other jobs were promised. */
async function gpusNow(machines: Machines, jobs: Jobs, place: JobPlace): Promise<readonly FreeGpu[] | null> {
  const seen = await machines.gpus(place);
  return seen && place.engine === 'local' ? unpromised(seen, await jobs.list()) : seen;
}

/** As many as the run uses, else as its place was compared with; by name if programs can be told. */
async function chosenGpus(
  { machines }: TaskServices,
  jobs: Jobs,
  { analysis }: RunOfConfig,
  { place, row, type }: ChosenPlace,
  requested: number | null,
): Promise<Choice> {
  const known = await gpusNow(machines, jobs, place);
  const ownGpus = analysis.run.quantities.gpus.value;
  const some = known === null || known.length > 0 ? (row?.takesGpus ?? 1) : 0;
  const count = requested ?? ownGpus ?? some;
  const has = known?.length ?? null;
  if (has !== null && has > 0 && count > has) {
    throw new Refusal(l10n.t('The run needs {0} GPUs, but only {1} are available.', count, has));
  }
  const gpus = known === null ? [] : freest(known, count);
  return { place, row, count: has === 0 ? 0 : count, gpus, type };
}

/** The command with its placeholders filled in by the user. Null: the user canceled. */
export async function filledIn(
  { configs }: TaskServices,
  run: RunOfConfig,
  way: Way,
): Promise<Startable | null> {
  const command = await configs.command(run, way);
  if (!command.ok) throw new Refusal(command.why);
  if (command.open.length === 0) return command;
  const filled: Record<string, string> = {};
  for (const word of command.open) {
    const entered = await askFor(word, command.argv, basename(run.file));
    if (entered === undefined) return null;
    filled[word] = entered;
  }
  const whole = await configs.command(run, { ...way, filled });
  if (!whole.ok) throw new Refusal(whole.why);
  return whole;
}

/** Placeholders of Headroom's own commands. */
const PROMPTS: Readonly<Record<string, string>> = {
  '{texts}': l10n.t('File with the texts: jsonl, csv, tsv, txt or parquet'),
  '{vectors}': l10n.t('New or empty folder for the vectors'),
};

function askFor(word: string, argv: readonly string[], config: string): Thenable<string | undefined> {
  return askText({
    title: l10n.t('Run {0}', config),
    prompt: PROMPTS[word] ?? l10n.t('{0} in: {1}', word, argv.join(' ')),
    placeHolder: word.replace(/[{}]/g, ''),
    ignoreFocusOut: true,
    validateInput: text => (text.trim() === '' ? l10n.t('Enter a value.') : null),
  });
}

/** Values of the secrets from VS Code's environment: they are passed on, and stored nowhere. */
export function secretsOf({ secrets }: Pick<JobRecord, 'secrets'>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    secrets.flatMap(name => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
