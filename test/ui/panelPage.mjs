// The panel's page by itself, in a browser: opened on the scenes of test/webview, looked through by axe.
import * as esbuild from 'esbuild';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { sharedBrowser } from './window.mjs';

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const themes = JSON.parse(readFileSync(join(root, 'test/webview/themes.json'), 'utf8'));

/** What opens the page, and what it is opened on: TypeScript, like the code that serves it. */
export async function loadHarness() {
  const outfile = join(root, 'out/ui-harness/harness.cjs');
  await esbuild.build({
    entryPoints: [join(root, 'test/webview/forPages.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['playwright-core'],
    logLevel: 'warning',
  });
  const { forPages } = require(outfile);
  return {
    scenes: forPages.scenes,
    open: options => forPages.openPanel(sharedBrowser, root, options),
  };
}

/** What axe objects to: rule and place. */
export async function objections(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.flat().join(' ')}: ${failureSummary}`),
  );
}
