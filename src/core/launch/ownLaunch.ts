import type { RunSpec } from '../spec/runSpec';
import { dirname, isAbsolute, join } from '../text/paths';
import { embedOrder } from './embedOrder';
import type { LaunchOptions, RunLaunch } from './launch';
import { fill, openIn, pathWords } from './words';

/** Texts are embedded by Headroom's own engine, where no program is known that the config is for. Null: nothing is embedded by it. */
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

/** A run's memory is found out by a dry run, or by what is asked for behind the command (`--probe`). */
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
