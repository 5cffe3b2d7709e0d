import { button } from './controls';
import { el } from './dom';
import type { PageCommand } from '../src/panel/page/protocol';
import type { Store } from './store';
import { t } from './texts';

/** Text and buttons for a panel that has nothing to show. */
interface Welcome {
  readonly title: string;
  readonly text: string;
  readonly buttons: readonly (readonly [PageCommand, string])[];
}

const RESTRICTED: Welcome = {
  title: t('Restricted Mode'),
  text: t(
    "Detecting GPUs starts a program, so Headroom doesn't do it in a folder you don't trust. Configs are still analyzed.",
  ),
  buttons: [['trust', t('Manage Trust')]],
};

const NO_GPU: Welcome = {
  title: t('No GPU found'),
  text: t(
    'You can still check configs against any GPU. Choose the GPU you will run on, or open an example to begin with. Add a host to see its GPUs over SSH.',
  ),
  buttons: [
    ['chooseTarget', t('Choose Target GPU')],
    ['addHost', t('Add Host')],
    ['openExample', t('Open Example')],
  ],
};

/** Only this machine, and it has no GPU. */
function isBare({ hosts, absence }: Store): boolean {
  if (absence === 'none') return true;
  const all = [...hosts.values()];
  return (
    all.length > 0 &&
    all.every(
      ({ kind, status, devices }) =>
        kind === 'local' && devices.length === 0 && ['no-gpu', 'no-tool'].includes(status.state),
    )
  );
}

/** Replaces the cards; null if there is something to show. */
export function welcome(store: Store, command: (command: PageCommand) => void): HTMLElement | null {
  const content = store.absence === 'restricted' ? RESTRICTED : isBare(store) ? NO_GPU : null;
  if (content === null) return null;
  const controls = content.buttons.map(([id, text], i) =>
    button(text, i === 0 ? 'primary' : 'secondary', () => command(id)),
  );
  return el(
    'section',
    'welcome',
    el('h2', '', content.title),
    el('p', '', content.text),
    el('p', '', ...controls),
  );
}
