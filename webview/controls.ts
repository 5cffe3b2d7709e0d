// The only file that imports the UI toolkit: to replace the toolkit, replace this file.
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';
import { el, setAttribute } from './dom';
import { icon } from './icons';
import type { Icon } from './icons';

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
