import assert from 'node:assert/strict';
import { couldBeOurs } from '../../src/core/dialects/couldBe';
import { isTie, standings } from '../../src/core/dialects/recognise';
import type { Standing } from '../../src/core/dialects/recognise';
import { isScript, readScript } from '../../src/core/dialects/envelopes/batchScript';
import { parseConfig } from '../../src/core/yaml/file';
import { configs, golden, textOf } from './configs';
import { owners } from './owners';

/** A document of a fixture and its standings in the dialects. */
interface Judged {
  readonly name: string;
  readonly winner: Standing;
  /** Other dialects that could take it, the clearest first. */
  readonly others: readonly Standing[];
  /** Dialects that have some of its keys, but too few to take it. */
  readonly near: readonly Standing[];
}

describe('golden: dialects of the fixtures', () => {
  const judged = configs.flatMap(judge);

  it('gives each document to one dialect', () => {
    const ties = judged.filter(({ winner, others }) => isTie(winner, others[0]));
    assert.deepEqual(ties.map(lineOf), []);
  });

  it('gives a project’s configs to its own dialects', () => {
    const strays = judged.filter(({ name, winner }) => !ownersOf(name).includes(winner.dialect.id));
    assert.deepEqual(strays.map(lineOf), []);
  });

  it('leaves each dialect of the table at least one fixture', () => {
    const winners = new Set(judged.map(({ winner }) => winner.dialect.id));
    const wanted = Object.values(owners).flatMap(ids => ids.split(' '));
    assert.deepEqual([...new Set(wanted)].filter(id => !winners.has(id)).sort(), []);
  });

  it('takes nothing that the scan before parsing turns away', () => {
    const files = configs.filter(config => !isScript(textOf(config)));
    const taken = files.filter(config => judged.some(({ name }) => name.startsWith(config)));
    assert.ok(taken.length > 180);
    assert.deepEqual(
      taken.filter(config => !couldBeOurs(textOf(config))),
      [],
    );
  });

  it('golden files show scores and margins', () => {
    golden('recognition/fixtures.txt', `${judged.map(lineOf).join('\n')}\n`);
    golden('recognition/matrix.txt', `${matrix(judged).join('\n')}\n`);
  });
});

function judge(config: string): readonly Judged[] {
  const text = textOf(config);
  const { documents } = isScript(text) ? readScript(text) : parseConfig(config, text);
  return documents.flatMap(document => {
    const all = standings(document);
    const [winner, ...others] = all.filter(({ reaches }) => reaches);
    if (winner === undefined) return [];
    const name = documents.length > 1 ? `${config} (${document.index + 1})` : config;
    return [{ name, winner, others, near: all.filter(({ reaches }) => !reaches) }];
  });
}

/**
 * The dialects of the longest folder of the table that contains the fixture; a script belongs to the shell,
 * whatever it starts.
 */
function ownersOf(name: string): readonly string[] {
  if (name.endsWith('.sh')) return ['shell'];
  const folders = Object.keys(owners).filter(folder => name.startsWith(folder));
  return owners[folders.sort((a, b) => b.length - a.length)[0] ?? '']?.split(' ') ?? [];
}

function lineOf({ name, winner, others }: Judged): string {
  const sibling = others.find(({ family }) => family === winner.family);
  const rival = others.find(({ family }) => family !== winner.family);
  const within = sibling
    ? ` · of ${winner.family}: ${round(winner.own)} of its own, ${sibling.dialect.id} ${round(sibling.own)}`
    : '';
  const between = rival
    ? ` · ${rival.dialect.id} ${round(rival.weight)} · by ${round(winner.weight - rival.weight)}`
    : '';
  return `${name} · ${winner.dialect.id} ${round(winner.weight)}${within}${between}`;
}

const round = (weight: number): string => String(Math.round(weight * 10) / 10);

/** The winner's margin, as a share of its weight, over the next family and over the next member of its own. */
function margins({ winner, others }: Judged): readonly number[] {
  const sibling = others.find(({ family }) => family === winner.family);
  const rival = others.find(({ family }) => family !== winner.family);
  return [
    ...(rival ? [1 - rival.weight / winner.weight] : []),
    ...(sibling ? [1 - sibling.own / winner.own] : []),
  ];
}

/**
 * A line per dialect: its fixtures, its smallest margin, and the number of them in which other dialects have keys,
 * too.
 */
function matrix(all: readonly Judged[]): readonly string[] {
  const ids = [...new Set(all.map(({ winner }) => winner.dialect.id))].sort();
  return ids.map(id => {
    const own = all.filter(({ winner }) => winner.dialect.id === id);
    const won = own.flatMap(margins);
    const least = won.length > 0 ? `, won by ${Math.round(100 * Math.min(...won))} % at least` : '';
    const could = counted(own.flatMap(({ others }) => others));
    const near = counted(own.flatMap(one => one.near));
    return [
      `${id}: ${own.length}${least}`,
      ...(could ? [`  could be ${could}`] : []),
      ...(near ? [`  has keys of ${near}`] : []),
    ].join('\n');
  });
}

function counted(some: readonly Standing[]): string {
  const counts = new Map<string, number>();
  for (const { dialect } of some) counts.set(dialect.id, (counts.get(dialect.id) ?? 0) + 1);
  return [...counts]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([id, n]) => `${id} ${n}`)
    .join(', ');
}
