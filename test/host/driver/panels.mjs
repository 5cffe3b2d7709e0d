// Problems, terminal, tasks, notifications, dialogs, webviews, trust: what lies around the editor.
import { SOON, textsOf } from './wait.mjs';

const PROBLEM = '.markers-panel-container .monaco-list-row';
const TERMINAL_ROW = '.terminal-wrapper.active .xterm-rows > div';
const TRUST_ITEM = '[id="status.workspaceTrust"]';
const MESSAGE = ['notifications-center', 'notifications-toasts']
  .map(place => `.${place}.visible .notification-list-item-message`)
  .join(', ');

/** Entries of the Problems view, once one of them is as expected. */
export async function problems(vs, expected = /./) {
  await vs.command('Problems: Focus on Problems View');
  return vs.until(`problem ${expected}`, async () => {
    const all = await textsOf(vs.page.locator(PROBLEM));
    return all.some(problem => expected.test(problem)) && all;
  });
}

/** Rows of the terminal. */
export const terminal = ({ page }) => textsOf(page.locator(TERMINAL_ROW));

/** One row of it. Ask for a whole row: the command line that is echoed holds the words of the output, too. */
export async function terminalRow(vs, expected) {
  return vs.until(`terminal row ${expected}`, async () =>
    (await vs.terminal()).find(row => expected.test(row)),
  );
}

/** Tasks: Run Task, the folder of its type, the task; its output is not scanned for problems. */
export async function runTask(vs, type, name) {
  await vs.command('Tasks: Run Task');
  await vs.pick((await vs.offers(`All ${type} tasks`)) ? `All ${type} tasks` : name);
  if (await vs.offers(name)) await vs.pick(name);
  const scan = 'Continue without scanning the task output';
  if (await vs.offers(scan, 1000)) await vs.pick(scan);
}

/** Notifications as they are now, in toasts or in the centre: the smoke-test driver keeps toasts away. */
export async function notificationsNow({ page }) {
  const messages = page.locator(MESSAGE);
  if ((await messages.count()) === 0) await page.locator('[id="status.notifications"]').click(SOON);
  return textsOf(messages);
}

/** Notifications, once one of them is as expected. */
export async function notifications(vs, expected = /\S/) {
  return vs.until(`notification ${expected}`, async () => {
    const all = await vs.notificationsNow();
    return all.some(text => expected.test(text)) && all;
  });
}

/** Presses a notification's button. */
export async function notificationButton({ page }, label) {
  const buttons = page.locator('.notification-list-item-buttons-container .monaco-button');
  await buttons.filter({ hasText: label }).first().click();
}

export const clearNotifications = vs => vs.command('Notifications: Clear All Notifications');

/** Presses a button of the open dialog; returns the dialog's text. */
export async function dialog({ page }, label) {
  const box = page.locator('.monaco-dialog-box');
  const [text] = await textsOf(box);
  await box.locator('.monaco-button', { hasText: label }).first().click();
  return text;
}

/** Inside of the webview that holds the selector: a Playwright frame locator. */
export async function webview(vs, selector) {
  return vs.until(`webview with ${selector}`, async () => {
    for (const frame of await vs.page.locator('iframe.webview.ready').all()) {
      const inside = frame.contentFrame().frameLocator('#active-frame');
      if ((await inside.locator(selector).count()) > 0) return inside;
    }
    return null;
  });
}

/** Painted pixels of a canvas inside of a webview. */
export async function painted(_vs, frame, selector = 'canvas') {
  const canvas = frame.locator(selector).first();
  return canvas.evaluate(element => {
    const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height);
    return data.filter((value, index) => index % 4 === 3 && value > 0).length;
  });
}

/** Whether the window is in Restricted Mode. */
export const restricted = ({ page }) => page.locator(TRUST_ITEM).isVisible();

/** From Restricted Mode to a trusted folder, by the buttons a person presses. */
export async function trustFolder(vs) {
  const item = vs.page.locator(TRUST_ITEM);
  await item.click();
  await vs.page
    .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust/ })
    .first()
    .click();
  await item.waitFor({ state: 'hidden' });
  await vs.command('View: Close Editor');
}
