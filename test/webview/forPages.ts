import { openPanel } from './harness';
import { scenes } from './theScenes';

/** What tests need that are not TypeScript. */
export const forPages = { openPanel, scenes };
