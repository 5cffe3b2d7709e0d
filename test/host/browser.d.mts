import type { Browser } from 'playwright-core';

export function launchBrowser(): Promise<Browser>;
export function prepareChromium(): Promise<string>;
