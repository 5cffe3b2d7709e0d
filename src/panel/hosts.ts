import { l10n, ProgressLocation, QuickPickItemKind, ThemeIcon, window, workspace } from 'vscode';
import type { QuickPickItem } from 'vscode';
import { hasLogin, idOf, readHosts } from '../gpu/hosts';
import type { HostSpec } from '../gpu/hosts';
import type { HostReading, HostWatch } from '../gpu/fleet';
import { isAlias } from '../remote/sshArguments';
import type { ConfigAlias } from '../remote/configAliases';
import { Refusal } from '../host/errors';
import { rememberForUser, setting } from '../host/settings';
import { mustBeTrusted } from '../host/trust';
import { inform, pickOne, warn, withProgress } from '../host/messages';
import { rows } from '../host/quickPick';
import type { MachineGpus } from './machineGpus';
import { say } from '../host/say';
import { toldStatus } from './page/cards';

/** Lists the hosts of ssh's config; loads the code that reads it. */
type ListAliases = (configFile: string | null) => Promise<readonly ConfigAlias[]>;

interface HostItem extends QuickPickItem {
  readonly alias?: string;
}

/** The commands that manage hosts: *Add Host*, *Remove Host*, *Open Terminal to Host*. */
export class HostCommands {
  constructor(
    private readonly gpus: MachineGpus,
    private readonly aliases: ListAliases,
  ) {}

  /** Adds a host to `headroom.hosts`, and says whether it answers and what to do if not. */
  async add(): Promise<void> {
    needsTrust();
    const known = new Set(configured().map(idOf));
    const listed = await this.aliases(configFile());
    const alias = await pickAlias(listed.filter(one => !known.has(`ssh:${one.alias}`)));
    if (alias === null || known.has(`ssh:${alias}`)) return;
    await rememberForUser('hosts', [...setting('hosts'), alias]);
    const reading = await withProgress(
      { location: ProgressLocation.Notification, title: l10n.t('Reading the GPUs of {0}', alias) },
      async () => this.ask(alias),
    );
    if (reading) void this.showConnection(alias, reading);
  }

  async remove(given?: unknown): Promise<void> {
    const specs = configured();
    const spec = specOf(specs, given) ?? (await pickSpec(specs, l10n.t('Remove Host')));
    if (!spec) return;
    const left = setting('hosts').filter(entry => {
      const [one] = readHosts([entry]).specs;
      return !one || idOf(one) !== idOf(spec);
    });
    await rememberForUser('hosts', left);
  }

  /** Opens a terminal in which the user can answer a login or host key prompt; retries the host when it closes. */
  async openTerminal(given?: unknown): Promise<void> {
    needsTrust();
    const specs = configured().filter(hasLogin);
    const spec = specOf(specs, given) ?? (await pickSpec(specs, l10n.t('Open Terminal on Host')));
    if (!spec) return;
    const config = configFile();
    const terminal = window.createTerminal({
      name: `ssh ${spec.alias}`,
      shellPath: setting('ssh.path').trim() || 'ssh',
      shellArgs: [...(config === null ? [] : ['-F', config]), '--', spec.alias],
      iconPath: new ThemeIcon('remote'),
    });
    terminal.show();
    const listener = window.onDidCloseTerminal(closed => {
      if (closed !== terminal) return;
      listener.dispose();
      void this.watch(spec).then(watch => watch?.retry());
    });
  }

  private async watch(spec: Pick<HostSpec, 'kind' | 'alias'>): Promise<HostWatch | null> {
    const fleet = await this.gpus.fleet();
    const id = `${spec.kind}:${spec.alias}`;
    return fleet?.watches().find(({ host }) => host.id === id) ?? null;
  }

  private async ask(alias: string): Promise<HostReading | null> {
    const fleet = await this.gpus.fleet();
    // The settings' event may arrive after the settings changed.
    await this.gpus.followHosts();
    const watch = await this.watch({ kind: 'ssh', alias });
    if (!fleet || !watch) return null;
    watch.retry();
    return fleet.ask(watch);
  }

  private async showConnection(alias: string, { devices, status }: HostReading): Promise<void> {
    if (status.state === 'live' || devices.length > 0) {
      const names = [...new Set(devices.map(({ name }) => name ?? 'GPU'))].join(', ');
      await inform(l10n.t('{0}: {1} × {2}', alias, devices.length, names));
      return;
    }
    const open = l10n.t('Open Terminal');
    const { message, todo } = toldStatus(say, status);
    const sentence = [message ?? l10n.t("{0} hasn't answered yet.", alias), todo]
      .filter(text => text !== null)
      .join(' ');
    const chosen = await warn(sentence, open);
    if (chosen === open) await this.openTerminal(alias);
  }
}

const needsTrust = (): void =>
  mustBeTrusted(l10n.t('Headroom does not connect to hosts in Restricted Mode. Trust the workspace first.'));

const configured = (): readonly HostSpec[] => readHosts(setting('hosts')).specs;

function configFile(): string | null {
  const path = setting('ssh.configFile').trim();
  return path === '' ? null : path;
}

/** Callers from outside name a host by its alias or its id. */
function specOf(specs: readonly HostSpec[], given: unknown): HostSpec | undefined {
  return specs.find(spec => spec.alias === given || idOf(spec) === given);
}

async function pickSpec(specs: readonly HostSpec[], title: string): Promise<HostSpec | undefined> {
  if (specs.length === 0) {
    throw new Refusal(l10n.t('No hosts configured. Run “Headroom: Add Host” to add one.'));
  }
  const items = specs.map(spec => ({
    label: spec.name,
    description:
      spec.kind === 'ray' || spec.kind === 'metrics'
        ? spec.address
        : spec.name === spec.alias
          ? ''
          : spec.alias,
    spec,
  }));
  return (await pickOne(items, { title }))?.spec;
}

/** A host of ssh's config, or typed text that could be one. */
async function pickAlias(listed: readonly ConfigAlias[]): Promise<string | null> {
  const list = window.createQuickPick<HostItem>();
  list.title = l10n.t('Add Host');
  list.placeholder = l10n.t('A host from your SSH config, or user@host');
  const head: HostItem = { label: l10n.t('SSH config'), kind: QuickPickItemKind.Separator };
  const items = listed.map(({ alias, file }) => ({
    label: alias,
    description: workspace.asRelativePath(file, false),
    iconPath: new ThemeIcon('remote'),
    alias,
  }));
  const fixed: readonly HostItem[] = items.length === 0 ? [] : [head, ...items];
  list.items = rows(fixed);
  list.onDidChangeValue(value => {
    const typed = value.trim();
    const isNew = isAlias(typed) && !items.some(({ alias }) => alias === typed);
    const own: HostItem = { label: typed, iconPath: new ThemeIcon('add'), alias: typed, alwaysShow: true };
    list.items = rows(isNew ? [...fixed, own] : fixed);
  });
  try {
    return await new Promise<string | null>(resolve => {
      list.onDidAccept(() => {
        const alias = list.selectedItems[0]?.alias;
        if (alias !== undefined) resolve(alias);
      });
      list.onDidHide(() => resolve(null));
      list.show();
    });
  } finally {
    list.dispose();
  }
}
