import type { Advice, Fix } from '../src/core/advice/advice';
import type { DeviceCard, ProcessRow, Slice } from '../src/panel/page/protocol';
import { button } from './controls';
import { el } from './dom';
import { UNKNOWN, memory, processName } from './format';
import { t } from './texts';

/** Parts of a device next to its charts; each is rebuilt when it changes, which is rare. */

/** Badges after the name: what is special about this device. */
export function badges({ memoryKind, mig, virtualization, vendor }: DeviceCard): readonly string[] {
  const isVirtual = virtualization !== null && !/^(none|n\/a)$/i.test(virtualization);
  return [
    ...(memoryKind === 'unified' ? [t('unified memory')] : []),
    ...(mig === null ? [] : [mig.length === 1 ? t('MIG, 1 slice') : t('MIG, {0} slices', mig.length)]),
    ...(isVirtual ? [virtualization] : []),
    ...(vendor === 'unknown' ? [t('unknown vendor')] : []),
  ];
}

export const UNIFIED_NOTE = t('The CPU and GPU share this memory.');

const HEADS = ['Process', 'User', 'Memory', 'Busy', 'PID'];

/** The processes that hold memory. */
export function processTable(rows: readonly ProcessRow[], label: string): HTMLElement {
  const head = el('tr', '', ...HEADS.map(name => columnHead(name)));
  const body = rows.map(row => {
    const name = el('td', 'process', processName(row));
    name.title = row.command ?? row.name ?? '';
    if (row.slice !== null) name.append(el('span', 'badge', t('slice {0}', row.slice)));
    if (row.container !== null) name.append(el('span', 'badge', t('container {0}', row.container)));
    if (row.graphicsOnly) name.append(el('span', 'badge', t('graphics')));
    const busy = row.busyPct === null ? UNKNOWN : `${Math.round(row.busyPct)} %`;
    const cells = [
      row.user ?? UNKNOWN,
      memory(row.memoryUsedMiB),
      busy,
      row.pid === null ? UNKNOWN : String(row.pid),
    ];
    return el('tr', '', name, ...cells.map((text, i) => el('td', i === 0 ? '' : 'number', text)));
  });
  return table(label, head, body);
}

const SLICE_HEADS = ['Slice', 'Memory used', 'Memory'];

/** The slices that run as separate GPUs. */
export function sliceTable(slices: readonly Slice[], label: string): HTMLElement {
  const head = el('tr', '', ...SLICE_HEADS.map(name => columnHead(name)));
  const body = slices.map(({ index, profile, memoryUsedMiB, memoryTotalMiB, uuid }) => {
    const name = el('td', '', `${index}: ${profile ?? 'MIG'}`);
    name.title = uuid ?? '';
    const cells = [memory(memoryUsedMiB), memory(memoryTotalMiB)];
    return el('tr', '', name, ...cells.map(text => el('td', 'number', text)));
  });
  return table(label, head, body);
}

const HEADINGS: Readonly<Record<string, string>> = {
  Process: t('Process'),
  User: t('User'),
  Memory: t('Memory'),
  Busy: t('Busy'),
  Slice: t('Slice'),
  'Memory used': t('Memory used'),
  Place: t('Place'),
  Nodes: t('Nodes'),
  Free: t('Free'),
  Total: t('Total'),
  Note: t('Note'),
};

export function columnHead(name: string): HTMLElement {
  const cell = el(
    'th',
    ['Process', 'User', 'Slice', 'Place', 'GPU', 'Note'].includes(name) ? '' : 'number',
    HEADINGS[name] ?? name,
  );
  cell.scope = 'col';
  return cell;
}

/** Scrolls by itself if it is too wide, also with the keyboard. */
export function table(label: string, head: HTMLElement, body: readonly HTMLElement[]): HTMLElement {
  const content = el(
    'table',
    '',
    el('caption', 'unseen', label),
    el('thead', '', head),
    el('tbody', '', ...body),
  );
  const box = el('div', 'table', content);
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', label);
  return box;
}

const FIXES: Readonly<Record<Fix, string>> = {
  optimize: t('Optimize Config'),
  explain: t('Explain Config'),
  processes: t('Show Processes'),
};

/** An advice, its evidence, and a button that applies it. */
export function adviceItem(advice: Advice, fix: (advice: Advice) => void): HTMLElement {
  const { severity, message, signal, source } = advice;
  const word = el('span', `severity ${severity}`, severity === 'warning' ? t('Warning') : t('Advice'));
  const basis = el(
    'details',
    'signal',
    el('summary', '', t('Seen: {0}.', signal)),
    t('Source: {0}.', source),
  );
  const item = el('li', `advice ${severity}`, el('p', '', word, ' ', message), basis);
  if (advice.fix !== null) {
    const control = button(FIXES[advice.fix], 'secondary', () => fix(advice));
    item.append(control);
  }
  return item;
}
