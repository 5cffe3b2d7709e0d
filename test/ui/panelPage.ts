// The panel's page in a browser without VS Code: opened on the scenes of test/webview, checked by axe.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../scripts/lib/root.mjs';
import { openPanel } from '../webview/harness';
import type { PanelInBrowser, PanelOptions, Theme } from '../webview/harness';
import { scenes } from '../webview/theScenes';
import { sharedBrowser } from './window';

const axe = readFileSync(createRequire(join(root, 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');

type ThemeName = 'dark' | 'light' | 'high-contrast' | 'high-contrast-light';

const themes = JSON.parse(readFileSync(join(root, 'test/webview/themes.json'), 'utf8')) as Readonly<
  Record<ThemeName, Theme>
>;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A picture of the page. */
export interface Picture {
  readonly scene: string;
  readonly theme: ThemeName;
  readonly size: Size;
}

/** Opens the page on a scene. */
export async function openScene(
  { scene, theme, size }: Picture,
  more: Partial<PanelOptions> = {},
): Promise<PanelInBrowser> {
  const shown = scenes[scene];
  if (!shown) throw new Error(`there is no scene ${scene}`);
  const browser = await sharedBrowser.open();
  return openPanel(browser, root, { scene: shown, theme: themes[theme], ...size, ...more });
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Violations that axe reports: rule and place. */
export async function objections(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
  );
}
