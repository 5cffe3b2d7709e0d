// Writes all findings to the file that the action's input `sarif` names, for code scanning.
import { writeFileSync } from 'node:fs';
import { headroom, input, target } from './headroom.mjs';

writeFileSync(input('SARIF'), headroom('check', '.', '--sarif', ...target()).stdout);
