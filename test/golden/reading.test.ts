import type { Reading } from '../../src/core/reading/read';
import type { Origin, Quantity } from '../../src/core/spec/quantity';
import type { RunSpec } from '../../src/core/spec/runSpec';
import { configs, golden, readFixture } from './configs';

describe('golden: what is read from real configs, with origins', () => {
  for (const config of configs) {
    it(config, async () => {
      const reading = await readFixture(config);
      golden(`reading/${config.replaceAll('/', '__')}.txt`, asText(reading));
    });
  }
});

/** A reading as text for people: a line for every quantity with its value and origin. */
function asText({ dialect, runs, notes }: Reading): string {
  const lines = [`dialect ${dialect ?? 'none'}`];
  for (const run of runs) lines.push('', ...runLines(run));
  if (notes.length > 0) lines.push('', ...notes.map(({ at, message }) => `note line ${at.line}: ${message}`));
  return `${lines.join('\n')}\n`;
}

function runLines(run: RunSpec): string[] {
  const { name, version, libraries = {} } = run.framework;
  const releases = Object.entries({ [name]: version, ...libraries }).map(pair => pair.join(' '));
  const sources = run.sources.map(({ path, via }) => `source ${via.kind} ${path}`);
  const all = [...Object.entries(run.quantities), ...Object.entries(run.details)];
  const told = all.filter(([, { origin }]: [string, Quantity<unknown>]) => !isWordless(origin));
  const answers = told.map(([key, quantity]: [string, Quantity<unknown>]) =>
    quantityLine(key, quantity, run),
  );
  return [`run "${run.name}" (${releases.join(', ')})`, ...sources, ...answers];
}

/** A dialect has no key for most quantities that it does not state: those lines carry no information. */
const isWordless = (origin: Origin): boolean =>
  origin.kind === 'unresolved' && origin.why.endsWith('configs do not say it.');

function quantityLine(name: string, { value, origin, unit, note }: Quantity<unknown>, run: RunSpec): string {
  const shown = origin.kind === 'unresolved' ? '?' : `${JSON.stringify(value)}${unit ? ` ${unit}` : ''}`;
  const end = note === undefined ? '' : ` (${note})`;
  return `${name.padEnd(22)} ${shown.padEnd(24)} ${originText(origin, run)}${end}`;
}

function originText(origin: Origin, run: RunSpec): string {
  switch (origin.kind) {
    case 'file':
    case 'referenced': {
      const file = origin.at.file === run.sources[0]?.path ? '' : ` of ${origin.at.file}`;
      return `${origin.kind} ${origin.at.path}, line ${origin.at.line}${file}`;
    }
    case 'default':
      return `default ${origin.framework} ${origin.version}: ${origin.source}`;
    case 'derived':
      return `derived from ${origin.from.join(', ')}: ${origin.formula}`;
    case 'code':
      return `code ${origin.source}`;
    case 'user':
      return `user ${origin.setting}`;
    case 'unresolved':
      return origin.why;
  }
}
