import type { Counted, HostCard, Machine } from '../src/panel/page/protocol';
import { button, iconButton, nameIcon } from './controls';
import { columnHead, table } from './deviceParts';
import { el, newId, order, setAttribute, setText, show } from './dom';
import { STATES, UNKNOWN, machine, memory, nextTry, tone } from './format';
import { t } from './texts';

interface HostActions {
  toggleHost(id: string): void;
  retry(id: string): void;
  terminal(id: string): void;
}

const KINDS: Readonly<Record<HostCard['kind'], string>> = {
  local: '',
  ssh: 'SSH',
  slurm: 'Slurm',
  ray: 'Ray',
  kubernetes: 'Kubernetes',
  metrics: 'Metrics',
};

/** This machine's scheduler, which needs no terminal to log in. */
const LOCAL_SLURM = 'slurm:local';

/** A host and its devices; without a host, the pinned devices. */
export class HostView {
  readonly element = el('section', 'host');
  readonly cards = el('div', 'cards');
  private readonly name = el('h2');
  private readonly kind = el('span', 'badge');
  private readonly state = el('span', 'state');
  private readonly load = el('span', 'load');
  private readonly message = el('p', 'message');
  private readonly todo = el('p', 'todo');
  private readonly words = el('p', 'words');
  private readonly next = el('span', 'next');
  private readonly capacities = el('div', 'capacities');
  private readonly trouble: HTMLElement;
  private readonly terminal: HTMLElement;
  private readonly fold: HTMLButtonElement;

  constructor(id: string, actions: HostActions) {
    const retry = button(t('Try Again'), 'secondary', () => actions.retry(id));
    this.terminal = button(t('Open Terminal'), 'secondary', () => actions.terminal(id));
    this.fold = iconButton('chevron', t('Collapse'), () => actions.toggleHost(id));
    this.trouble = el(
      'div',
      'host-trouble',
      this.message,
      this.todo,
      this.words,
      el('p', 'actions', retry, this.terminal, this.next),
    );
    this.name.id = newId('host');
    this.element.setAttribute('aria-labelledby', this.name.id);
    const header = el('header', '', this.fold, this.name, this.kind, this.state, this.load);
    this.element.append(header, this.trouble, this.capacities, this.cards);
  }

  /** The pinned devices have no host. */
  updateAsTop(): void {
    setText(this.name, t('Pinned'));
    for (const part of [this.fold, this.kind, this.state, this.load, this.trouble, this.capacities]) {
      show(part, false);
    }
  }

  update(host: HostCard, isFolded: boolean, nowMs: number): void {
    const { name, kind, status, capacities } = host;
    setText(this.name, name);
    setText(this.kind, KINDS[kind]);
    show(this.kind, KINDS[kind] !== '');
    setText(this.state, STATES[status.state]);
    setAttribute(this.state, 'class', `state ${tone(status.state)}`);
    this.state.title = [
      status.collector,
      status.latencyMs === null ? null : `${Math.round(status.latencyMs)} ms`,
    ]
      .filter(Boolean)
      .join(', ');
    nameIcon(this.fold, isFolded ? t('Expand {0}', name) : t('Collapse {0}', name));
    setAttribute(this.fold, 'aria-expanded', String(!isFolded));
    this.updateTrouble(host, nowMs);
    this.updateCapacities(capacities, name);
    show(this.cards, !isFolded);
    show(this.capacities, !isFolded && capacities.length > 0);
  }

  write(load: Machine | null, host: HostCard, nowMs: number): void {
    setText(this.load, machine(load) ?? '');
    setText(this.next, nextTry(host.status, nowMs) ?? '');
  }

  private updateTrouble({ id, kind, status }: HostCard, nowMs: number): void {
    show(this.terminal, kind === 'ssh' || (kind === 'slurm' && id !== LOCAL_SLURM));
    setText(this.message, status.message ?? '');
    if (this.todo.dataset['text'] !== (status.todo ?? '')) {
      this.todo.dataset['text'] = status.todo ?? '';
      this.todo.replaceChildren(...withCode(status.todo ?? ''));
    }
    setText(this.words, status.text ?? '');
    for (const part of [this.message, this.todo, this.words]) show(part, part.textContent !== '');
    setText(this.next, nextTry(status, nowMs) ?? '');
    const isWell = ['live', 'connecting', 'idle'].includes(status.state);
    show(this.trouble, !isWell && (status.message !== null || status.todo !== null || status.text !== null));
  }

  private updateCapacities(capacities: readonly Counted[], name: string): void {
    const text = JSON.stringify(capacities);
    if (this.capacities.dataset['text'] === text) return;
    this.capacities.dataset['text'] = text;
    order(
      this.capacities,
      capacities.length === 0 ? [] : [capacityTable(capacities, t('GPUs of {0}', name))],
    );
  }
}

/** Text in backticks is a command. */
const withCode = (text: string): readonly (Node | string)[] =>
  text.split('`').map((part, i) => (i % 2 === 1 ? el('code', '', part) : part));

const HEADS = ['Place', 'GPU', 'Memory', 'Nodes', 'Free', 'Total', 'Note'];

/** The counts of a cluster's scheduler. */
function capacityTable(capacities: readonly Counted[], label: string): HTMLElement {
  const head = el('tr', '', ...HEADS.map(name => columnHead(name)));
  const body = capacities.map(({ place, gpu, memoryMiB, nodes, gpusFree, gpusTotal, note }) => {
    const numbers = [
      memory(memoryMiB),
      String(nodes),
      gpusFree === null ? UNKNOWN : String(gpusFree),
      String(gpusTotal),
    ];
    const cells = numbers.map(text => el('td', 'number', text));
    return el(
      'tr',
      '',
      el('td', '', place),
      el('td', '', gpu ?? UNKNOWN),
      ...cells,
      el('td', 'note', note ?? ''),
    );
  });
  return table(label, head, body);
}
