import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { ToolReading } from '../../../src/gpu/tool';
import { lies } from '../../eval/pasted/lies';
import { readByTool } from '../../eval/telemetry/recording';
import type { Recording } from '../../eval/telemetry/recording';

/** A recording and its reading. */
interface Kept {
  readonly recording: Recording;
  readonly text: string;
  readonly reading: ToolReading;
}

/** The recordings that an index names and that have a reader. */
export function recordingsIn(index: string): readonly Kept[] {
  const lines = readFileSync(index, 'utf8').split('\n').filter(Boolean);
  return lines.flatMap(line => {
    const recording = JSON.parse(line) as Recording;
    const text = readFileSync(join(index, '..', recording.file), 'utf8');
    const reading = readByTool(recording, text);
    return reading ? [{ recording, text, reading }] : [];
  });
}

type Mangle = (text: string, random: (below: number) => number) => string;

const lines = (text: string, change: (lines: string[]) => void): string => {
  const all = text.split('\n');
  change(all);
  return all.join('\n');
};

const MANGLES: Readonly<Record<string, Mangle>> = {
  truncated: (text, random) => text.slice(0, random(text.length + 1)),
  'missing a line': (text, random) => lines(text, all => all.splice(random(all.length), 1)),
  'with decimal commas': text => text.replace(/(\d)\.(\d)/g, '$1,$2'),
  'with CRLF': text => text.replace(/\r?\n/g, '\r\n'),
  coloured: (text, random) =>
    lines(text, all => {
      for (let at = random(7); at < all.length; at += 1 + random(9)) {
        const line = all[at] ?? '';
        const place = random(line.length + 1);
        all[at] = `\u001B[1;31m${line.slice(0, place)}\u001B[0m${line.slice(place)}\u001B[K`;
      }
    }),
  'printed twice': text => (text.endsWith('\n') ? text : `${text}\n`) + text,
  'with noise before': text => `Welcome to the cluster!\nLast login: 12:30, 3 users {"a": [1\n${text}`,
  'with a letter in a number': (text, random) => {
    const places = [...text.matchAll(/\d/g)].map(({ index }) => index);
    const place = places[random(Math.max(1, places.length))];
    return place === undefined ? text : `${text.slice(0, place)}x${text.slice(place + 1)}`;
  },
};

/** A letter may hit names and numbers of devices; then a value's owner is a different question. */
const HITS_NAMES = new Set(['with a letter in a number']);

/** Mangles each recording of an index in each way `times` times; skipped if the index is missing. */
export function describeMangled(title: string, index: string, times: number): void {
  describe(title, function () {
    let all: readonly Kept[] = [];
    before(function () {
      if (existsSync(index)) all = recordingsIn(index);
      else this.skip();
    });

    for (const [name, mangle] of Object.entries(MANGLES)) {
      it(`${name}: never a throw, never a wrong number`, function () {
        this.timeout(120_000);
        const one = fc.tuple(
          fc.nat({ max: all.length - 1 }),
          fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
        );
        fc.assert(
          fc.property(one, ([at, numbers]) => {
            const kept = all[at];
            if (!kept) return;
            let next = 0;
            const random = (below: number) => (numbers[next++ % numbers.length] ?? 0) % Math.max(1, below);
            const text = mangle(kept.text, random);
            const reading = readByTool(kept.recording, text);
            if (reading === null || HITS_NAMES.has(name)) return;
            assert.deepEqual(lies(reading, kept.reading), [], kept.recording.file);
          }),
          { numRuns: times },
        );
      });
    }
  });
}
