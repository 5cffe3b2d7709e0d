/**
 * The coverage of each dialect: `node scripts/tool.mjs dialects -- [--corpus DIR…] [--json]`. Counts fixtures with
 * their golden readings, facts, keys with help, launch lines, lines of output and writers; with `--corpus`, also
 * configs of the dialect below the folders, by which the table is then sorted.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from 'markdown-table';
import { recognize } from '../../../src/core/dialects/recognise';
import { dialects } from '../../../src/core/dialects/registry';
import type { Dialect } from '../../../src/core/dialects/dialect';
import { facts } from '../../../src/core/rules/facts/registry';
import { parseYaml } from '../../../src/core/yaml/parse';
import { CONFIGS } from '../../golden/configs';
import { runTool } from '../toolArguments';

/** Configs below a folder by dialect: the first document of a file decides. */
function configsIn(folder: string): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter(each => /\.(?:ya?ml|json)$/.test(each))) {
    const [document] = parseYaml(readFileSync(join(folder, name), 'utf8')).documents;
    const id = document && recognize(document)?.id;
    if (id) counted.set(id, (counted.get(id) ?? 0) + 1);
  }
  return counted;
}

const keysOf = (table: object | undefined): number => Object.keys(table ?? {}).length;

function rowOf(
  dialect: Dialect,
  fixtures: ReadonlyMap<string, number>,
  corpora: readonly ReadonlyMap<string, number>[],
) {
  const { id, role, help, launch = [], logs = [], writers } = dialect;
  return {
    dialect: id,
    role,
    corpus: corpora.reduce((sum, corpus) => sum + (corpus.get(id) ?? 0), 0),
    fixtures: fixtures.get(id) ?? 0,
    facts: facts.filter(each => each.dialects.includes(id)).reduce((sum, each) => sum + each.facts.length, 0),
    help: keysOf(help),
    launch: launch.length,
    logs: logs.length,
    writers: keysOf(writers),
  };
}

void runTool({ many: ['corpus'], none: ['json'] }, given => {
  const corpora = given.has('corpus') ? given.paths('corpus', 'folder').map(configsIn) : [];
  const fixtures = configsIn(CONFIGS);
  const rows = dialects
    .map(dialect => rowOf(dialect, fixtures, corpora))
    .sort((one, other) => other.corpus - one.corpus || other.fixtures - one.fixtures);
  const [first] = rows;
  const table = [Object.keys(first ?? {}), ...rows.map(row => Object.values(row).map(String))];
  process.stdout.write(given.has('json') ? `${JSON.stringify(rows)}\n` : `${markdownTable(table)}\n`);
  return 0;
});
