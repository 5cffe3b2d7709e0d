// Draws media/icon.png (for the Marketplace) from media/icon.svg.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../test/host/browser.mjs';
import { root } from './lib/root.mjs';

const SIZE = 256;

const svg = readFileSync(join(root, 'media/icon.svg'), 'utf8');
const browser = await launchBrowser();
const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`);
await page.screenshot({ path: join(root, 'media/icon.png'), omitBackground: true });
await browser.close();
