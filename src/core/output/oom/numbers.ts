import { SIZE, SIZE_GROUPS as S, bytesOf, numberOf } from '../size';
import type { OomNumbers, OtherProcess } from './report';

type ByteField = Exclude<keyof OomNumbers, 'gpuIndex' | 'rank' | 'otherProcesses'>;

/** The lower end of a range (`48.82–49.66 GiB per rank`). */
const LEAST = String.raw`(?<n>[\d.]+)(?:[-–][\d.]+)?`;

/**
 * Patterns of each amount in a text without white space; the first match wins. `n` is the number, `u` its unit;
 * `bytes` and `kib` are numbers that are printed without a unit.
 */
const PLACES: Readonly<Record<ByteField, readonly string[]>> = {
  triedBytes: [
    `[Tt]ried to allocate ${S}`,
    `Requested: ${S}`,
    'Attempting to (?:reserve|allocate) (?<n>[\\d.]{1,12})(?<u>[KMGT])(?: at the bottom|[.])',
    'Used (?<n>[\\d.]{1,12})(?<u>[KMGT]) of [\\d.]{1,12}[KMGT] \\w{1,12}[.] Exceeded',
    `Cannot allocate ${S} (?:GPU )?memory`,
    'enforce allocating <= available failed, (?<bytes>\\d{1,20})>',
    `Requested memory: ${S}`,
    'Requested memory: (?<bytes>\\d{1,20})',
    'Failed to (?:cuda|hip)Malloc (?<bytes>\\d{1,20}) bytes',
    'alloc fail type [^|]{1,120}? size (?<bytes>\\d{1,20}) bytes',
    'Requested size was (?<bytes>\\d{1,20}) bytes',
    'rtMalloc\\w{0,12} fail[^|]{0,80}? size:(?<bytes>\\d{1,20})',
    'failed to allocate (?:\\w+ )?buffer of size (?<bytes>\\d+)',
    `Invalid buffer size: ${S}`,
    `allocate tensor (?:with|of) ${S}`,
    'memory allocation of (?<bytes>\\d{1,20}) bytes failed',
    '(?:malloc|realloc) of size (?<bytes>\\d{1,20}) failed',
    `trying to allocate ${S}`,
    `Out of memory allocating ${S}`,
    `[Uu]nable to allocate ${S}`,
    `${S} KV cache is needed`,
    `desired GPU memory utilization \\([\\d.]+, ${S}\\)`,
    `allocating ${S} on device \\d+: cudaMalloc failed`,
    'failed to allocate \\w+ buffer of size (?<bytes>\\d+)',
    `requires more system memory \\(${S}\\)`,
    'requested buffer of size (?<bytes>\\d+)',
    'NvMapMemAlloc\\w{0,40}: (?<bytes>\\d{1,20}) error 12',
    'workspace Allocation of size :*(?<bytes>\\d{1,20}) failed',
    '[Ff]ailed to allocate (?:request for )?[\\d.]{1,12}(?:[KMGT]?i?B|[KMGT])? \\((?<bytes>\\d{1,20})(?:B|bytes)\\)',
    `[Ff]ailed to (?:c|m)?alloc(?:ate)? ${S}`,
  ],
  capacityBytes: [
    `total capaci?ty of ${S}`,
    `${S} total capacity`,
    `max allowed: ${S}`,
    `Device limit: ${S}`,
    'Used [\\d.]{1,12}[KMGT] of (?<n>[\\d.]{1,12})(?<u>[KMGT]) \\w{1,12}[.] Exceeded',
    `Effective GPU memory usage: [\\d.]{1,8}% \\(${SIZE}/${S}\\)`,
    `Free memory on device \\S{0,12}?\\([\\d.]+(?:[-–][\\d.]+)?/${S}\\)`,
    `was(?: running was)? ${SIZE}/${S}`,
    'exceeded memory limit \\(\\d+>(?<kib>\\d+)\\)',
  ],
  freeBytes: [
    `of which ${S} is free`,
    'There are (?<n>\\d[\\d.]{0,11})(?<u>[KMGT]) free[,.]',
    `already allocated;(?:${SIZE} current active;)? ${S} free`,
    `Free \\(according to CUDA\\): ${S}`,
    `available memory is(?: only)? ${S}`,
    'enforce allocating <= available failed, \\d{1,20}>(?<bytes>\\d{1,20})',
    `Free memory: ${S}`,
    'Free memory: (?<bytes>\\d{1,20})',
    `available KV cache memory \\(${LEAST}(?<u>[KMGT]i?B)`,
    `Free memory on device \\S{0,12}?\\(${LEAST}/[\\d.]+(?<u>[KMGT]i?B)`,
    `than is available \\(${S}\\)`,
  ],
  allocatedBytes: [
    `${S} is allocated by PyTorch`,
    `${S} already allocated`,
    `MPS allocated: ${S}`,
    `Currently allocated: ${S}`,
    `Memory pool usage: ${S}`,
    `allocated so far: ${S}`,
    `GPU\\d+, ${S} memory has been allocated`,
  ],
  reservedUnallocatedBytes: [`${S} is reserved by PyTorch but unallocated`, `free; ${S} cached`],
  reservedTotalBytes: [`${S} reserved in total`, `pool usage: ${SIZE} \\(${S} reserved`],
  processBytes: [
    `this process has ${S} memory in use`,
    `memory used= ${S}`,
    'exceeded memory limit \\((?<kib>\\d+)>',
    `anon-rss:${S}`,
  ],
  otherAllocationsBytes: [`other allocations: ${S}`],
  ownAllocatedBytes: [`actual using allocated memory ${S}`],
  allowedBytes: [
    `limit set to: ${S}`,
    `free; ${S} allowed`,
    `is free[.] ${S} allowed`,
    'maximum allowed buffer size of (?<bytes>\\d{1,20})',
  ],
};

/** Other words between a word and its amount, and a number of bytes without a unit, which is none of a shape. */
const BEHIND = '[^|;.,\\d]{0,40}?';
const BYTES = '(?<!shape[[(])(?<bytes>\\d{4,20})(?!\\d|[.]\\d|[KMGT]i?B)';
/** A number begins where its row of digits does: begun at each digit of a long row, a search goes through all that follow each time. */
const BEGIN = String.raw`(?<!\d[.,]?)`;

/** Amounts by the roles of the words around them, near a message without a form of its own. */
const ROLES: Readonly<Partial<Record<ByteField, readonly string[]>>> = {
  triedBytes: [
    `[Aa]lloc(?!at(?:ed|ions)|al)\\w{0,9}${BEHIND}${S}`,
    `[Aa]lloc(?!at(?:ed|ions)|al)\\w{0,9}${BEHIND}${BYTES}`,
    `(?:[Rr]equest|[Rr]equir|[Nn]eed)(?:ed|es|ing|s)?${BEHIND}${S}`,
    `[Rr]equest(?:ed|ing|s)?${BEHIND}${BYTES}`,
  ],
  freeBytes: [
    `${BEGIN}(?<!needs?|requires?|least)${S} (?:of )?(?:\\w{1,6} )?(?:memory )?(?:is |are )?(?:free|available|left|remain)`,
    `(?:[Aa]vailable|[Ff]ree|has)(?: only)?(?:GPU|device|memory|VRAM|RAM|of|is|only|[ :=]){0,4}${S}`,
    `[Aa]vailable memory of ${BYTES}`,
  ],
  capacityBytes: [
    `${BEGIN}${SIZE} of ${S} \\w{1,10} memory used`,
    `(?:[Tt]otal(?!-|\\s?(?:alloc|frag))|[Ll]imit(?!set)|capacity)${BEHIND}${S}`,
    `${S} total(?!\\s?(?:alloc|frag))`,
  ],
  processBytes: [
    `${S} of ${SIZE} \\w{1,10} memory used`,
    `mem ${S} exceeded`,
    `(?:[Uu]sed|[Uu]sing(?!alloc)|[Uu]sage)[^|;.,\\d]{0,16}?${S}`,
  ],
};

const GPU = [
  'GPU(?<n>\\d+) has a total',
  '\\([GXN]PU(?<n>\\d+);',
  'on device(?:(?:cuda|xpu|npu|hip|hpu|musa):)?(?<n>\\d+)',
  'device cuda:(?<n>\\d+)',
  'device:GPU:(?<n>\\d+)',
  'CUDA(?<n>\\d+) buffer',
  'on GPU(?<n>\\d+)',
  'current device: (?<n>\\d+)',
  'on device ordinal (?<n>\\d+)',
  'device_id:(?<n>\\d{1,3})\\b',
  'bytes on device (?<n>\\d+)',
  'GPU=(?<n>\\d+)',
  '/gpu:(?<n>\\d+)"',
];

/** Matched with spaces: ranks are prefixes of lines. */
const RANK = /\[(?:local_)?rank(\d+)\]|\brank(?:[= ]|: {1,4})(\d+)\b|\blocal_rank: (\d+)|\[Rank[ :](\d+)\]/;

const squeezed = (pattern: string): RegExp =>
  new RegExp((pattern.startsWith(S) ? BEGIN : '') + pattern.replaceAll(' ', ''));
const compile = (places: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(places).map(([field, patterns]) => ({ field, patterns: patterns.map(squeezed) }));
const compiled = compile(PLACES);
const byRole = compile(ROLES);
const GPU_NEAR = /(?:GPU|[Dd]ev(?:ice)?|cuda:)[:#[]{0,2}(?<n>\d{1,2})(?![\d.,]*(?:[KMGT]i?B|\d))/;
const gpuPatterns = GPU.map(squeezed);
const processes = new RegExp(squeezed(`Process(?<pid>\\d+) has ${S} memory in use`), 'g');

/** The amounts of a complete torch message. */
const COMPLETE_PATTERNS = ['capacityBytes', 'freeBytes', 'allocatedBytes', 'processBytes'].flatMap(
  field => compiled.find(one => one.field === field)?.patterns ?? [],
);

type Groups = Readonly<Record<string, string | undefined>>;

function bytesIn({ n, u, bytes, kib }: Groups): number | null {
  if (bytes !== undefined) return numberOf(bytes);
  if (kib !== undefined) return bytesOf(`${kib}KiB`);
  return bytesOf(`${n ?? ''}${u ?? ''}`);
}

function firstOf<T>(patterns: readonly RegExp[], text: string, take: (groups: Groups) => T): T | null {
  for (const pattern of patterns) {
    const groups = pattern.exec(text)?.groups;
    if (groups) return take(groups);
  }
  return null;
}

function listed(text: string): readonly OtherProcess[] {
  return [...text.matchAll(processes)].flatMap(({ groups = {} }) => {
    const bytes = bytesIn(groups);
    return bytes === null ? [] : [{ pid: Number(groups['pid']), bytes }];
  });
}

/** The beginning of a torch message: each rank or attempt prints one. */
const MESSAGE = /[Tt]riedtoallocate/g;

/**
 * The text with a single message, the first of the most complete ones, because amounts of different messages must
 * not be mixed.
 */
function oneMessage(text: string): string {
  const starts = [...text.matchAll(MESSAGE)].map(({ index }) => index);
  if (starts.length < 2) return text;
  const parts = starts.map((from, at) => text.slice(from, starts[at + 1]));
  const scores = parts.map(part => COMPLETE_PATTERNS.filter(pattern => pattern.test(part)).length);
  const best = parts[scores.indexOf(Math.max(...scores))] ?? '';
  return text.slice(0, starts[0]) + best;
}

/** How far from a message its amounts can be. */
const [BEFORE, AFTER] = [200, 500];

const amountsIn = (places: typeof compiled, text: string): Partial<Record<ByteField, number>> =>
  Object.fromEntries(
    places.flatMap(({ field, patterns }) => {
      const value = firstOf(patterns, text, bytesIn);
      return value === null ? [] : [[field, value]];
    }),
  );

const NOTHING = Object.fromEntries(compiled.map(({ field }) => [field, null])) as Record<ByteField, null>;

/**
 * The amounts of an out-of-memory text; `whole` is the text without white space, and `at` the message's place in it, if it
 * has one.
 */
export function numbersIn(whole: string, text: string, at: number | null): OomNumbers {
  const squeezedText = oneMessage(whole);
  const stated = amountsIn(compiled, squeezedText);
  const isComplete = stated.capacityBytes !== undefined && stated.freeBytes !== undefined;
  const near = at === null || isComplete ? '' : whole.slice(Math.max(0, at - BEFORE), at + AFTER);
  const bytes = { ...NOTHING, ...amountsIn(byRole, near), ...stated };
  const rank = RANK.exec(text)?.slice(1).find(Boolean);
  return {
    ...bytes,
    gpuIndex:
      firstOf(gpuPatterns, squeezedText, ({ n }) => Number(n)) ??
      firstOf([GPU_NEAR], near, ({ n }) => Number(n)),
    rank: rank === undefined ? null : Number(rank),
    otherProcesses: listed(squeezedText),
  };
}
