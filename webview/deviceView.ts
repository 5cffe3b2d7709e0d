import type { Advice } from '../src/core/advice/advice';
import type { DeviceCard } from '../src/panel/page/protocol';
import { Charts } from './charts';
import type { Drawing } from './charts';
import { iconButton, nameIcon } from './controls';
import { UNIFIED_NOTE, adviceItem, badges, processTable, sliceTable } from './deviceParts';
import { el, newId, order, setAttribute, setText, show } from './dom';
import { gpuName, holders, inShort, roomFor } from './format';
import { t } from './texts';

/** What a card requests from the panel. */
interface DeviceActions {
  toggle(list: 'collapsed' | 'pinned' | 'opened', device: string): void;
  copy(device: string): void;
  fix(device: string, advice: Advice): void;
}

/** How to show a card. */
interface DeviceLook {
  readonly isFolded: boolean;
  readonly isPinned: boolean;
  readonly isOpened: boolean;
  /** Set if the device is not shown under its host. */
  readonly hostName: string | null;
}

/** One GPU. */
export class DeviceView {
  readonly element = el('article', 'card');
  private readonly name = el('h3');
  private readonly chips = el('div', 'chips');
  private readonly short = el('span', 'short');
  private readonly trouble = el('p', 'trouble');
  private readonly room = el('p', 'room');
  private readonly charts = new Charts();
  private readonly advice = el('ul', 'advices');
  private readonly slices = el('div', 'slices');
  private readonly who = el('button', 'who');
  private readonly processes = el('div', 'processes');
  private readonly body = el('div', 'body');
  private readonly fold: HTMLButtonElement;
  private readonly pin: HTMLButtonElement;
  private readonly copy: HTMLButtonElement;
  private device: DeviceCard;
  private look: DeviceLook | null = null;

  constructor(
    device: DeviceCard,
    private readonly actions: DeviceActions,
  ) {
    this.device = device;
    this.fold = iconButton('chevron', t('Collapse'), () => actions.toggle('collapsed', device.id));
    this.pin = iconButton('pin', 'Pin', () => actions.toggle('pinned', device.id));
    this.copy = iconButton('copy', t('Copy'), () => actions.copy(device.id));
    this.build();
  }

  /** Updates values that rarely change. */
  update(device: DeviceCard, look: DeviceLook): void {
    const isSame = device === this.device && JSON.stringify(look) === JSON.stringify(this.look);
    if (isSame) return;
    this.device = device;
    this.look = look;
    const title = `GPU ${device.index} · ${gpuName(device)}`;
    setText(this.name, look.hostName === null ? title : `${look.hostName} · ${title}`);
    this.name.title = [device.name, device.driverVersion && `driver ${device.driverVersion}`]
      .filter(Boolean)
      .join(', ');
    this.updateButtons(title, look);
    show(this.body, !look.isFolded);
    show(this.short, look.isFolded);
    this.updateAdvice(device.advice);
    this.updateLists(title, look);
  }

  /** Updates values that change every second, as text. */
  write(drawing: Drawing): void {
    const { device, now, prediction, isOld } = drawing;
    this.writeChips(drawing);
    setText(this.trouble, now?.trouble ?? '');
    show(this.trouble, this.trouble.textContent !== '');
    this.element.classList.toggle('old', isOld);
    if (this.look?.isFolded) {
      setText(this.short, inShort(device, now));
      return;
    }
    this.charts.write(drawing);
    const room = roomFor(prediction, device, now);
    setText(this.room, room === null ? '' : `${prediction?.config ?? ''} ${room}`);
    show(this.room, room !== null);
  }

  /** Updates values that change every second, as lines. */
  draw(drawing: Drawing): void {
    if (!this.look?.isFolded) this.charts.draw(drawing);
  }

  /** Redraws after a theme change. */
  redo(): void {
    this.charts.redo();
  }

  private build(): void {
    const id = newId('gpu');
    this.name.id = id;
    this.element.setAttribute('aria-labelledby', id);
    this.who.type = 'button';
    this.who.addEventListener('click', () => this.actions.toggle('opened', this.device.id));
    const tools = el('span', 'tools', this.pin, this.copy);
    const header = el('header', '', this.fold, this.name, this.short, tools);
    this.body.append(this.charts.element, this.room, this.advice, this.slices, this.who, this.processes);
    this.element.append(header, this.chips, this.trouble, this.body);
  }

  private updateButtons(title: string, { isFolded, isPinned }: DeviceLook): void {
    nameIcon(this.fold, isFolded ? t('Expand {0}', title) : t('Collapse {0}', title));
    setAttribute(this.fold, 'aria-expanded', String(!isFolded));
    nameIcon(this.pin, isPinned ? t('Unpin {0}', title) : t('Pin {0} to the top', title));
    setAttribute(this.pin, 'aria-pressed', String(isPinned));
    nameIcon(this.copy, t('Copy {0} as text', title));
  }

  private writeChips({ device, now }: Drawing): void {
    const throttle = now?.throttle ?? [];
    const words = [...badges(device), ...throttle.map(reason => `throttled: ${reason}`)];
    if (this.chips.dataset['words'] === words.join('\n')) return;
    this.chips.dataset['words'] = words.join('\n');
    const chips = words.map((word, i) => {
      const chip = el('span', i < words.length - throttle.length ? 'badge' : 'badge warning', word);
      if (word === t('unified memory')) chip.title = UNIFIED_NOTE;
      return chip;
    });
    order(this.chips, chips);
    show(this.chips, chips.length > 0);
  }

  private updateAdvice(advice: readonly Advice[]): void {
    const text = JSON.stringify(advice);
    if (this.advice.dataset['text'] === text) return;
    this.advice.dataset['text'] = text;
    const items = advice.map(one => adviceItem(one, chosen => this.actions.fix(this.device.id, chosen)));
    order(this.advice, items);
    show(this.advice, items.length > 0);
  }

  private updateLists(title: string, { isOpened }: DeviceLook): void {
    const { mig, processes } = this.device;
    order(this.slices, mig === null ? [] : [sliceTable(mig, t('Slices of {0}', title))]);
    show(this.slices, mig !== null);
    const held = holders(this.device);
    setText(this.who, held ?? '');
    show(this.who, held !== null);
    const canOpen = (processes?.length ?? 0) > 0;
    this.who.disabled = !canOpen;
    if (canOpen) setAttribute(this.who, 'aria-expanded', String(isOpened));
    else this.who.removeAttribute('aria-expanded');
    const isShown = isOpened && canOpen;
    order(this.processes, isShown ? [processTable(processes ?? [], t('Processes on {0}', title))] : []);
    show(this.processes, isShown);
  }
}
