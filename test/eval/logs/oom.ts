import { explainOom } from '../../../src/core/output/oom/explain';
import type { OomNumbers, OomReport } from '../../../src/core/output/oom/report';
import type { Wrong } from './progress';

/** A text and what a person read from it. */
export interface OomRecord {
  readonly id: string;
  readonly text: string;
  readonly expected: Partial<OomNumbers> & {
    readonly kind: string;
    readonly phase?: string | null;
    readonly owner?: string | null;
  };
}

export interface OomSummary {
  readonly texts: number;
  readonly kindRight: number;
  readonly numbers: number;
  readonly numbersRight: number;
  /** Similar texts that were wrongly recognized. */
  readonly falseAlarms: number;
  /** Texts that were not recognized. */
  readonly missed: number;
  /** Phase and owner, if the record states one. */
  readonly claims: number;
  readonly claimsRight: number;
  readonly wrong: readonly Wrong[];
}

const FIELDS: readonly (keyof OomNumbers)[] = [
  'triedBytes',
  'capacityBytes',
  'freeBytes',
  'allocatedBytes',
  'reservedUnallocatedBytes',
  'reservedTotalBytes',
  'processBytes',
  'otherAllocationsBytes',
  'allowedBytes',
  'gpuIndex',
  'rank',
  'otherProcesses',
];

const NONE = 'not-oom';

/** A number that is neither stated nor read does not count; one that is only one of both is wrong. */
function numbersOf(
  record: OomRecord,
  report: OomReport | null,
): readonly (Wrong & { readonly right: boolean })[] {
  return FIELDS.flatMap(field => {
    const expected = stated(record.expected[field]);
    const got = stated(report?.numbers[field]);
    const right = JSON.stringify(expected) === JSON.stringify(got);
    return expected === null && got === null ? [] : [{ id: record.id, field, expected, got, right }];
  });
}

const stated = (value: unknown): unknown =>
  value === undefined || (Array.isArray(value) && value.length === 0) ? null : value;

function claimsOf(record: OomRecord, report: OomReport | null): readonly boolean[] {
  const { phase, owner } = record.expected;
  return [
    ...(phase && phase !== 'unknown' ? [report?.phase === phase] : []),
    ...(owner ? [report?.owner === owner] : []),
  ];
}

/** Explains each text and compares kind and numbers with the record's. */
export function compareOom(records: readonly OomRecord[]): OomSummary {
  const read = records.map(record => ({ record, report: explainOom(record.text) }));
  const kinds = read.map(({ record, report }) => ({
    id: record.id,
    field: 'kind',
    expected: record.expected.kind,
    got: report?.kind ?? NONE,
  }));
  const numbers = read.flatMap(({ record, report }) => numbersOf(record, report));
  const claims = read.flatMap(({ record, report }) => claimsOf(record, report));
  const wrongKinds = kinds.filter(({ expected, got }) => expected !== got);
  return {
    texts: records.length,
    kindRight: records.length - wrongKinds.length,
    numbers: numbers.length,
    numbersRight: numbers.filter(({ right }) => right).length,
    falseAlarms: wrongKinds.filter(({ expected }) => expected === NONE).length,
    missed: wrongKinds.filter(({ got }) => got === NONE).length,
    claims: claims.length,
    claimsRight: claims.filter(Boolean).length,
    wrong: [
      ...wrongKinds,
      ...numbers
        .filter(({ right }) => !right)
        .map(({ id, field, expected, got }) => ({ id, field, expected, got })),
    ],
  };
}
