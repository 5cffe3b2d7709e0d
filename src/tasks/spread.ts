import { l10n } from 'vscode';
import type { QuickPickItem } from 'vscode';
import { basename } from '../core/text/paths';
import { Refusal } from '../host/errors';
import { askText, pickMany } from '../host/messages';
import type { ClusterPlace, JobPlace, JobRequest } from '../jobs/job';
import type { Jobs } from '../jobs/jobs';
import { placeOfCompared } from './place';
import type { ClusterPart, HostOfMany } from '../core/compare/machines';
import type { RunOfConfig } from './ports';
import { agreed, filledIn, saveFiles, secretsOf } from './prepare';
import type { Agreed, PrepareServices } from './prepare';
import { requestOf } from './request';
import { commandIn, partsText, spreadWords, whereText } from './spreadWords';
import type { Reach, Spread } from './spreadWords';
import type { Signal } from '../core/signal';
import { say } from '../host/say';

interface HostItem extends QuickPickItem {
  readonly host?: HostOfMany;
  readonly part?: ClusterPart;
}

/** Prepares an embedding in parts on several hosts, or on a cluster. Null: the user canceled. */
export async function prepareSpread(
  services: PrepareServices,
  jobs: Jobs,
  run: RunOfConfig,
  signal: Signal,
): Promise<Agreed | null> {
  const reach = reachOf(services);
  const spread = await chosenSpread(services, run);
  if (spread === null) return null;
  await saveFiles(run);
  const command = await filledIn(services, run, { kind: 'embed', gpus: 1, isHere: true, filled: {} });
  if (command === null) return null;
  const choice = { place: { engine: 'local' }, row: null, count: 0, gpus: [], type: null } as const;
  const { file, analysis } = run;
  const limits = services.limits.of({ engine: 'local' });
  const alone = requestOf({ file, analysis, command, extra: [], choice, limits });
  const argv = spreadWords(alone.argv, spread, reach);
  // The same command continues what an earlier one left.
  const draft: JobRequest = { ...alone, name: `${alone.name} ${l10n.t('in parts')}`, argv, resume: argv };
  const showing = { jobs, choice, signal, limits: services.limits };
  const also = partsText(spread, reach, say);
  const request = await agreed(showing, draft, false, { where: whereText(spread, say), also });
  return request && { request, secrets: secretsOf(request) };
}

function reachOf({ machines }: PrepareServices): Reach {
  const hostCommand = commandIn(machines.hostCommand());
  if (hostCommand === null) {
    throw new Refusal(
      l10n.t(
        'The setting headroom.embed.hostCommand must be a list of words such as {0}. No word can be empty or start with a dash.',
        '["node", "/opt/headroom/cli.js"]',
      ),
    );
  }
  return { sshConfig: machines.sshConfig(), hostCommand, onlyPython: machines.onlyPython() };
}

/** Any number of hosts, or one cluster with a number of parts. */
async function chosenSpread(services: PrepareServices, { file }: RunOfConfig): Promise<Spread | null> {
  const title = l10n.t('Embed {0} in parts', basename(file));
  const items = itemsOf(services);
  const placeHolder = l10n.t('Hosts (one part per GPU), or one cluster');
  const chosen = await pickMany(items, { title, placeHolder });
  if (!chosen || chosen.length === 0) return null;
  const hosts = chosen.flatMap(({ host }) => host ?? []);
  const [part, ...others] = chosen.flatMap(one => one.part ?? []);
  if (!part) return { kind: 'hosts', hosts };
  if (hosts.length > 0 || others.length > 0) {
    throw new Refusal(l10n.t('Choose either SSH hosts or one cluster, not both.'));
  }
  return askParts(part, title);
}

async function askParts(part: ClusterPart, title: string): Promise<Spread | null> {
  const place = placeOfCompared(part.engine, `${part.host}/${part.partition ?? ''}`);
  if (place === null || !isCluster(place)) return null;
  const usual = part.free === 0 ? part.gpus : (part.free ?? part.gpus);
  const entered = await askText({
    title,
    prompt: l10n.t('How many parts? Each part is a job of {0} on one GPU.', part.name),
    value: usual === null ? '' : String(usual),
    validateInput: text => (isCount(text) ? null : l10n.t('Enter a whole number, 1 or more.')),
  });
  return entered === undefined ? null : { kind: 'cluster', place, name: part.name, parts: Number(entered) };
}

const isCount = (text: string): boolean => /^[1-9]\d{0,4}$/.test(text.trim());

const isCluster = (place: JobPlace): place is ClusterPlace =>
  place.engine === 'slurm' || place.engine === 'ray';

async function itemsOf({ machines }: PrepareServices): Promise<readonly HostItem[]> {
  const [hosts, parts] = await Promise.all([machines.hosts(), machines.parts()]);
  const rows = hosts.map((host): HostItem => ({
    label: host.name,
    description: host.trouble ?? (host.gpus.length === 0 ? l10n.t('no GPU, runs on the CPU') : gpusOf(host)),
    picked: host.trouble === null && host.gpus.length > 0,
    ...(host.trouble === null && { host }),
  }));
  const clusters = parts.map((part): HostItem => {
    const free = part.free === null ? null : l10n.t('{0} of {1} GPUs free', part.free, part.gpus ?? '?');
    const description = [free, part.note].filter(text => text !== null).join(' · ');
    return { label: part.name, description, part };
  });
  return [...rows, ...clusters];
}

function gpusOf({ gpus }: HostOfMany): string {
  const [first] = gpus;
  const name = first?.name.replace(/^NVIDIA (?=\S)/, '') ?? '';
  return gpus.length === 1 ? name : `${gpus.length} × ${name}`;
}
