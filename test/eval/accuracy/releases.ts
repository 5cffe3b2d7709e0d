import { compareReleases } from '../../../src/core/spec/version';

type Releases = Readonly<Record<string, string>>;

/**
 * The newest transformers on the day before torch's next minor release, by PyPI's dates: the current one for that
 * torch.
 */
const CURRENT: readonly (readonly [torch: string, transformers: string])[] = [
  ['2.14', '5.21.0'],
  ['2.13', '5.16.1'],
  ['2.12', '5.13.0'],
  ['2.11', '5.8.0'],
  ['2.10', '5.3.0'],
  ['2.9', '4.57.6'],
  ['2.8', '4.57.1'],
  ['2.7', '4.55.0'],
  ['2.6', '4.51.3'],
  ['2.5', '4.48.1'],
  ['2.4', '4.45.2'],
  ['2.3', '4.43.1'],
  ['2.2', '4.40.1'],
  ['2.1', '4.37.2'],
  ['2.0', '4.34.0'],
];

/** The current releases at the end of a year that a source states. */
const DATED: Readonly<Record<string, Releases>> = {
  2022: { torch: '1.13.1', transformers: '4.25.1' },
  2023: { torch: '2.1.2', transformers: '4.36.2' },
  2024: { torch: '2.5.1', transformers: '4.47.1' },
};

/** `huggingface/transformers (2022-23 docs)`: the age of a source, if it states one. */
export function releasesOfYear(source: string): Releases {
  return DATED[/\((20\d\d)(?:-\d\d)? docs\)/.exec(source)?.[1] ?? ''] ?? {};
}

const NAMED = /(transformers|torch|peft|bitsandbytes|trl|liger) v?(\d+(?:\.\d+)+)/gi;

/**
 * The releases in a record's text. With torch but without transformers, the transformers of that time is assumed;
 * without both, the newest.
 */
export function releasesIn(words: string): Releases {
  const named = [...words.matchAll(NAMED)];
  const stated: Releases = Object.fromEntries(
    named.map(([, name = '', release = '']) => [name.toLowerCase(), release] as const),
  );
  const { torch, transformers } = stated;
  if (torch === undefined || transformers !== undefined) return stated;
  const current = CURRENT.find(([since]) => compareReleases(torch, since) >= 0);
  const isNewest = compareReleases(torch, '2.15') >= 0;
  return current && !isNewest ? { ...stated, transformers: current[1] } : stated;
}
