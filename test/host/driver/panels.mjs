// Problems, terminal, tasks, notifications, webviews, trust: what lies around the editor.
import { textsOf } from './wait.mjs';

const PROBLEMS = '.markers-panel-container .monaco-list-row';
const TRUST_ITEM = '[id="status.workspaceTrust"]';

/** @param {import('../driver.mjs').Surroundings} window */
export function panels({ page, until, command, pick, offers }) {
  const messages = page.locator(
    '.notifications-center.visible .notification-list-item-message, .notifications-toasts.visible .notification-list-item-message',
  );
  const terminal = () => textsOf(page.locator('.terminal-wrapper.active .xterm-rows > div'));

  return {
    /** Entries of the Problems view, once one of them is as expected. */
    async problems(expected = /./) {
      await command('Problems: Focus on Problems View');
      return until(`problem ${expected}`, async () => {
        const all = await textsOf(page.locator(PROBLEMS));
        return all.some(problem => expected.test(problem)) && all;
      });
    },

    /** Rows of the terminal. */
    terminal,

    /** A whole row: the command line that the terminal echoes holds the words of the output, too. */
    terminalRow: expected =>
      until(`terminal row ${expected}`, async () => (await terminal()).find(row => expected.test(row))),

    /** Tasks: Run Task, the folder of its type, the task; its output is not scanned for problems. */
    async runTask(type, name) {
      await command('Tasks: Run Task');
      await pick((await offers(`All ${type} tasks`)) ? `All ${type} tasks` : name);
      if (await offers(name)) await pick(name);
      const scan = 'Continue without scanning the task output';
      if (await offers(scan, 1000)) await pick(scan);
    },

    /** Notifications, in toasts or in the centre: the smoke-test driver keeps toasts away. */
    async notifications(expected = /\S/) {
      return until(`notification ${expected}`, async () => {
        if ((await messages.count()) === 0) await page.locator('[id="status.notifications"]').click();
        const all = await textsOf(messages);
        return all.some(text => expected.test(text)) && all;
      });
    },

    /** Presses a notification's button. */
    async notificationButton(label) {
      await page
        .locator('.notification-list-item-buttons-container .monaco-button', { hasText: label })
        .first()
        .click();
    },

    clearNotifications: () => command('Notifications: Clear All Notifications'),

    /** Inside of the webview that holds the selector: a Playwright frame locator. */
    async webview(selector) {
      return until(`webview with ${selector}`, async () => {
        for (const frame of await page.locator('iframe.webview.ready').all()) {
          const inside = frame.contentFrame().frameLocator('#active-frame');
          if ((await inside.locator(selector).count()) > 0) return inside;
        }
        return null;
      });
    },

    /** Painted pixels of a canvas in a webview. */
    painted: (frame, selector = 'canvas') =>
      frame
        .locator(selector)
        .first()
        .evaluate(canvas => {
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          return data.filter((value, index) => index % 4 === 3 && value > 0).length;
        }),

    /** Whether the window is in Restricted Mode. */
    restricted: () => page.locator(TRUST_ITEM).isVisible(),

    /** From Restricted Mode to a trusted folder, by the buttons a person presses. */
    async trustFolder() {
      await page.locator(TRUST_ITEM).click();
      await page
        .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust/ })
        .first()
        .click();
      await page.locator(TRUST_ITEM).waitFor({ state: 'hidden' });
      await command('View: Close Editor');
    },
  };
}
