// npm run --silent accuracy -- --records FILE… --json
// Compares estimates with measured and simulated runs, each in the record's own metric. `--worst N` lists more of the
// worst, `--guesses` how far off guessed facts are, `--spreads` the spreads as all sources have them, `--halves` fits what is calibrated on half of the sources and scores it on the other, `--page FILE` writes docs/accuracy.md, `--only TEXT` takes the records whose id, group or source has the text.
import { readFileSync, writeFileSync } from 'node:fs';
import { GpuCatalog } from '../../../src/core/hardware/catalog';
import { ModelCatalog } from '../../../src/core/models/catalog';
import type { CatalogData } from '../../../src/core/data/rows';
import { UsageError, jsonLines, runTool } from '../toolArguments';
import type { Given } from '../toolArguments';
import { fromPublished } from './published';
import type { PublishedRecord } from './publishedRecord';
import { answersTo } from './answers';
import { estimatedAs, estimatedForUsers } from './record';
import { halvesOf } from './halves';
import type { Halves } from './halves';
import { guessesOf } from './guesses';
import { fittedOnAll, leaveOneOut } from './leaveOneOut';
import { accuracyPage } from './page';
import type { Measured } from './record';
import { reliabilityOf } from './reliability';
import type { Reliability } from './reliability';
import { fromSimulated } from './simulated';
import type { SimulatedRecord } from './simulated';
import { byGroup, errorOf } from './statistics';
import type { Answer, GroupStatistics } from './statistics';
import { unitsOf } from './metrics';

const catalog = (name: string): CatalogData =>
  JSON.parse(readFileSync(`src/core/data/${name}.json`, 'utf8')) as CatalogData;

function recordsIn(files: readonly string[]): readonly Measured[] {
  const models = new ModelCatalog(catalog('models'));
  const gpus = new GpuCatalog(catalog('gpus'));
  const records = files.flatMap(jsonLines) as readonly (SimulatedRecord | PublishedRecord)[];
  const unitOf = unitsOf(
    records.flatMap(record => ('bytes' in record ? [] : [record])),
    gpus,
  );
  return records.map(record =>
    'bytes' in record ? fromSimulated(record) : fromPublished(record, models, gpus, unitOf(record)),
  );
}

interface Bad {
  readonly id: string;
  readonly predicted: number;
  readonly measured: number;
  readonly error: number;
}

function worstOf(answers: readonly Answer[], count: number): readonly Bad[] {
  const sorted = answers.toSorted((a, b) => Math.abs(errorOf(b)) - Math.abs(errorOf(a)));
  return sorted.slice(0, count).map(answer => ({
    id: answer.measured.id,
    predicted: Math.round(answer.predicted),
    measured: Math.round(answer.measured.bytes),
    error: Number(errorOf(answer).toFixed(5)),
  }));
}

function main(given: Given): number {
  const only = given.one('only') ?? '';
  const count = Number(given.one('worst') ?? 20);
  if (!Number.isInteger(count) || count < 0) throw new UsageError('--worst takes how many to list.');
  const records = recordsIn(given.paths('records', 'file')).filter(({ id, source, groups }) =>
    [id, source, ...groups].some(text => text.includes(only)),
  );
  const isSimulated = ({ groups }: Measured): boolean => groups.includes('simulated');
  // The user's view: estimates with the simulator's behavior are in a separate table.
  const { answers, refused } = answersTo(records, measured =>
    isSimulated(measured) ? estimatedForUsers(measured) : estimatedAs(measured),
  );
  const simulator = answersTo(records.filter(isSimulated), estimatedAs).answers;
  const groups = byGroup(answers);
  const simulatorGroups = byGroup(simulator);
  const worst = worstOf(answers, count);
  const reliability = reliabilityOf(answers);
  const page = given.one('page');
  const published = records.filter(measured => !isSimulated(measured));
  const guesses = page !== null || given.has('guesses') ? guessesOf(published) : null;
  const unseen = leaveOneOut(answers.filter(({ measured }) => !isSimulated(measured)));
  const halves = page !== null || given.has('halves') ? halvesOf(published) : null;
  const result = {
    records: records.length,
    answered: answers.length,
    groups,
    simulatorGroups,
    reliability,
    leftOut: reliabilityOf(unseen),
    ...(given.has('spreads') && { spreads: fittedOnAll(unseen) }),
    worst,
    refused,
    ...(halves && { halves }),
    ...(guesses && { guesses }),
  };
  if (page !== null) {
    const simulated = records.filter(isSimulated).length;
    writeFileSync(
      page,
      accuracyPage({
        records: records.length,
        simulated,
        answers,
        groups,
        simulatorGroups,
        refused,
        reliability,
        leftOut: unseen,
        halves,
        guesses,
      }),
    );
  }
  if (given.has('json')) console.log(JSON.stringify(result, null, 1));
  else print(result);
  return 0;
}

interface Printed {
  readonly records: number;
  readonly answered: number;
  readonly groups: Readonly<Record<string, GroupStatistics>>;
  readonly reliability: readonly Reliability[];
  readonly worst: readonly Bad[];
  readonly halves?: Halves;
}

function print({ groups, reliability, worst, records, answered, halves }: Printed): void {
  console.log(`${answered} of ${records} records answered`);
  console.table(groups);
  console.table(reliability);
  console.table(worst);
  if (halves) {
    console.table(halves.constants);
    console.table(halves.scores);
  }
}

void runTool(
  { many: ['records'], one: ['worst', 'only', 'page'], none: ['json', 'halves', 'spreads', 'guesses'] },
  main,
);
