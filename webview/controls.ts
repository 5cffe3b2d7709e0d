// The only file that imports the UI toolkit: to replace the toolkit, replace this file.
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';
import { el, setAttribute } from './dom';

/** Outlines on a 16 × 16 grid. */
const PATHS = {
  chevron: 'M6 4l4 4-4 4',
  pin: 'M6 2h4l-.5 4 2.5 2.5v1H4v-1L6.5 6 6 2zM8 9.5V14',
  copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z',
  output: 'M2.5 3h11v10h-11zM5 6.5l2 1.75L5 10M8.5 10.5h3',
  config: 'M4 2.5h5.5L12 5v8.5H4zM9.5 2.5V5H12M6 8h4M6 10.5h4',
  stop: 'M4 4h8v8H4z',
  fetch: 'M8 2.5v7M5 7l3 3 3-3M3 13h10',
  resume: 'M5 3.5l7.5 4.5L5 12.5z',
} as const;

type Icon = keyof typeof PATHS;

const SVG = 'http://www.w3.org/2000/svg';

function icon(name: Icon): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}

/** Registers the controls with the page; call once, before creating any. */
export function registerControls(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeDropdown(), vsCodeOption(), vsCodeTextField());
}

/** A control of the toolkit with a value. */
interface Valued extends HTMLElement {
  value: string;
}

/** A button with a label. */
export function button(text: string, kind: 'primary' | 'secondary', press: () => void): HTMLElement {
  const control = document.createElement('vscode-button');
  control.setAttribute('appearance', kind);
  control.textContent = text;
  control.addEventListener('click', press);
  return control;
}

/** A small icon button; a plain element, because the page has many. */
export function iconButton(name: Icon, label: string, press: () => void): HTMLButtonElement {
  const control = el('button', 'icon-button');
  control.type = 'button';
  control.append(icon(name));
  nameIcon(control, label);
  control.addEventListener('click', press);
  return control;
}

/** Sets the accessible name and tooltip of an icon button. */
export function nameIcon(control: HTMLElement, label: string): void {
  setAttribute(control, 'aria-label', label);
  setAttribute(control, 'title', label);
}

/** A text field that reports its value on every input. */
export function textField(label: string, placeholder: string, typed: (value: string) => void): Valued {
  const control = document.createElement('vscode-text-field') as unknown as Valued;
  control.setAttribute('placeholder', placeholder);
  control.setAttribute('aria-label', label);
  control.addEventListener('input', () => typed(control.value));
  return control;
}

interface Choice {
  readonly value: string;
  readonly text: string;
}

/** A drop-down list of a few values. */
export function dropdown(label: string, choices: readonly Choice[], chosen: (value: string) => void): Valued {
  const control = document.createElement('vscode-dropdown') as unknown as Valued;
  control.setAttribute('aria-label', label);
  control.title = label;
  for (const { value, text } of choices) {
    const option = document.createElement('vscode-option');
    option.setAttribute('value', value);
    option.textContent = text;
    control.append(option);
  }
  control.addEventListener('change', () => chosen(control.value));
  return control;
}
