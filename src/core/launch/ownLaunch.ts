import type { RunSpec } from '../spec/runSpec';
import { dirname, isAbsolute, join } from '../text/paths';
import { embedOrder } from './embedOrder';
import type { LaunchOptions } from './runLaunch';
import type { RunLaunch } from './runLaunch';
import { fill, openIn, pathWords } from './words';

/** Headroom's own engine embeds the texts of a config that belongs to no known program. Null: nothing to embed. */
export function embedLaunch(run: RunSpec, options: LaunchOptions): RunLaunch | null {
  const [source] = run.sources;
  if (run.quantities.task.value !== 'embed' || !source) return null;
  const { input, out } = embedOrder(source.yaml.documents[source.document]?.root ?? null);
  const folder = dirname(source.path);
  const named = [
    ...(input === undefined ? ['--input', '{texts}'] : []),
    ...(out === undefined ? ['--out', '{vectors}'] : []),
  ];
  const vectors = out ?? options.filled?.['{vectors}'];
  const writes =
    vectors === undefined ? [] : [isAbsolute(vectors) || out === undefined ? vectors : join(folder, vectors)];
  const argv = ['embed', '{config}', ...named, '--progress', 'line', '--verify'];
  return own(argv, [...argv, '--resume'], writes, source.path, options);
}

/** A dry run finds a run's memory, or the method that an option at the end of the command selects (`--probe`). */
export function profileLaunch(run: RunSpec, options: LaunchOptions): RunLaunch | null {
  const [source] = run.sources;
  if (!source) return null;
  const which = run.name === '' ? [] : [`--run=${run.name}`];
  return own(['profile', '{config}', ...which], null, [], source.path, options);
}

function own(
  argv: readonly string[],
  resume: readonly string[] | null,
  writes: readonly string[],
  file: string,
  { own: program = [], folder, filled }: LaunchOptions,
): RunLaunch {
  const words = { ...pathWords(file, folder), ...filled };
  const filledIn = (some: readonly string[]): readonly string[] => [
    ...program,
    ...some.map(word => (word.startsWith('--run=') ? word : fill(word, words))),
  ];
  return {
    argv: filledIn(argv),
    verb: argv[0] ?? '',
    open: openIn(argv, words),
    file,
    resume: resume && filledIn(resume),
    writes,
    handsTo: null,
    source: 'docs/embed.md',
    isOwn: true,
  };
}
