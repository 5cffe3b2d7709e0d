import type { FrameLocator, Locator } from 'playwright-core';
import type { Word } from './editor';
import { StatusBar } from './statusBar';
import { SOON, textsOf, untilWithin } from './steps';

const PROBLEM = '.markers-panel-container .monaco-list-row';
const TERMINAL_ROW = '.terminal-wrapper.active .xterm-rows > div';
const TRUST_ITEM = '[id="status.workspaceTrust"]';
/** What has the focus may take keys for itself. */
const KEYS_MS = 3_000;
const MESSAGE = ['notifications-center', 'notifications-toasts']
  .map(place => `.${place}.visible .notification-list-item-message`)
  .join(', ');

/** The parts of a canvas that are needed to count its pixels. */
interface Canvas {
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8Array };
  };
}

/** Problems, terminal, tasks, notifications, dialogs, webviews, trust: everything around the editor. */
export class Panels extends StatusBar {
  /** Entries of the Problems view, once one of them matches. */
  async problems(expected = /./): Promise<string[]> {
    await this.command('Problems: Focus on Problems View');
    return this.settled('problem', expected, () => textsOf(this.page.locator(PROBLEM)));
  }

  /** Rows of the terminal. */
  terminal(): Promise<string[]> {
    return textsOf(this.page.locator(TERMINAL_ROW));
  }

  /** One row of the terminal. Match the whole row: the echoed command line contains words of the output, too. */
  terminalRow(expected: RegExp): Promise<string> {
    return this.until(`terminal row ${String(expected)}`, async () =>
      (await this.terminal()).find(row => expected.test(row)),
    );
  }

  /** Runs a task via Run Task, the folder of its type, and the task; its output is not scanned for problems. */
  async runTask(type: string, name: string): Promise<void> {
    await this.command('Tasks: Run Task');
    await this.pick((await this.offers(`All ${type} tasks`)) ? `All ${type} tasks` : name);
    if (await this.offers(name)) await this.pick(name);
    const scan = 'Continue without scanning the task output';
    if (await this.offers(scan, 1000)) await this.pick(scan);
  }

  /** Current notifications, in toasts or in the center: the smoke-test driver suppresses toasts. */
  async notificationsNow(): Promise<string[]> {
    const messages = this.page.locator(MESSAGE);
    if ((await messages.count()) === 0) await this.page.locator('[id="status.notifications"]').click(SOON);
    return textsOf(messages);
  }

  /** Notifications, once one of them matches. */
  notifications(expected = /\S/): Promise<string[]> {
    return this.until(`notification ${String(expected)}`, async () => {
      const all = await this.notificationsNow();
      return all.some(text => expected.test(text)) && all;
    });
  }

  /** Clicks a notification's button. The pointer leaves what it rests on: a tooltip could cover the button. */
  async notificationButton(label: Word): Promise<void> {
    await this.page.mouse.move(0, 0);
    const buttons = this.page.locator('.notification-list-item-buttons-container .monaco-button');
    await buttons.filter({ hasText: label }).first().click();
  }

  clearNotifications(): Promise<void> {
    return this.command('Notifications: Clear All Notifications');
  }

  private get dialogBox(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  /** Clicks a button of the open dialog; returns the dialog's text. */
  async dialog(label: Word): Promise<string> {
    await this.parkMouse();
    const [text] = await textsOf(this.dialogBox);
    await this.dialogBox.locator('.monaco-button', { hasText: label }).first().click();
    return text ?? '';
  }

  /** The content of the webview that contains the selector. */
  webview(selector: string): Promise<FrameLocator> {
    return this.until(`webview with ${selector}`, async () => {
      for (const frame of await this.page.locator('iframe.webview.ready').all()) {
        const inside = frame.contentFrame().frameLocator('#active-frame');
        if ((await inside.locator(selector).count()) > 0) return inside;
      }
      return null;
    });
  }

  /** Painted pixels of a canvas in a webview. */
  painted(frame: FrameLocator, selector = 'canvas'): Promise<number> {
    const canvas = frame.locator(selector).first();
    return canvas.evaluate((element: Canvas) => {
      const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height);
      return data.filter((value, index) => index % 4 === 3 && value > 0).length;
    });
  }

  /** Whether the window is in Restricted Mode. */
  restricted(): Promise<boolean> {
    return this.page.locator(TRUST_ITEM).isVisible();
  }

  /** Goes from Restricted Mode to a trusted folder, with the buttons that a person uses. */
  async trustFolder(): Promise<void> {
    const item = this.page.locator(TRUST_ITEM);
    await item.click();
    await this.page
      .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust/ })
      .first()
      .click();
    await item.waitFor({ state: 'hidden' });
    await this.command('View: Close Editor');
  }

  /** Closes all editors and discards what is unsaved; by two keys, since the palette takes a second on a busy machine. */
  private async closeEditors(): Promise<void> {
    const tabs = this.page.locator('.editor-group-container .tab');
    const forget = this.dialogBox.locator('.monaco-button', { hasText: /Don.t Save/ }).first();
    const isClosed = async (): Promise<boolean> => {
      if (await forget.isVisible()) await forget.click(SOON);
      return (await tabs.count()) === 0;
    };
    if (await isClosed()) return;
    await this.page.keyboard.press('Control+K');
    await this.page.keyboard.press('Control+W');
    await untilWithin(KEYS_MS)('no editor', isClosed).catch(() => undefined);
    if (await isClosed()) return;
    await this.command('View: Close All Editors');
    await this.until('no editor', isClosed);
  }

  /** Resets to a freshly opened window: no open question or editor, no running terminal, no unread notification. */
  async reset(): Promise<void> {
    await this.parkMouse();
    await this.page.keyboard.press('Escape');
    await this.escape();
    await this.closeEditors();
    if ((await this.page.locator('.terminal-wrapper').count()) > 0) {
      await this.command('Terminal: Kill All Terminals');
    }
    if (await this.page.locator('.part.panel').isVisible()) await this.page.keyboard.press('Control+J');
    await this.clearNotifications();
  }
}
