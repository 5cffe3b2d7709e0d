import { resolve } from 'node:path';
import { analyze } from '../../../src/core/analyse/analyse';
import type { World } from '../../../src/core/analyse/world';
import { parseTarget } from '../../../src/core/hardware/target';
import type { Target } from '../../../src/core/hardware/gpu';
import type { GpuSource } from '../../../src/core/hardware/match';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import type { Catalogs } from '../../../src/world/catalogs';
import { Definitions } from '../../../src/world/definitions';
import { corePath } from '../../../src/world/environment';
import { Launchers } from '../../../src/world/launchers';
import { CountedLengths } from '../../../src/world/lengths';
import { Models } from '../../../src/world/models';
import { NodeFiles, RememberedFiles } from '../../../src/world/nodeFiles';
import { MemorySession } from '../../../src/core/memory/session';
import { NEVER, ROOT } from '../bench/inputs';
import { UsageError } from '../toolArguments';
import { installedIn, textOfPair } from './pair';
import type { Pair } from './pair';

/** A user's machine with an empty cache of models: what `check` has there, without anything that was measured. */
export function worldFor(catalogs: Catalogs, gpus: GpuSource): World {
  const files = new NodeFiles(ROOT);
  const environment = { variables: {}, home: '/nonexistent', workingFolder: ROOT };
  const targetNamed = (name: string): Target | null => {
    const found = parseTarget(name, gpus, { count: null, nodes: 1 });
    return found.ok ? found.target : null;
  };
  return {
    files,
    models: new Models(new RememberedFiles(files), catalogs, environment),
    memory: new MemorySession(),
    gpuNamed: name => Promise.resolve(targetNamed(name)),
    definitions: new Definitions(files),
    lengths: new CountedLengths(files),
    launchers: new Launchers(files, path => path.slice(0, path.lastIndexOf('/'))),
  };
}

/** Checks the files of a set, each once for each machine. */
export class Checker {
  /** Files of which a run was read. */
  readonly read = new Set<string>();
  private readonly checked = new Map<string, Promise<readonly RunAnalysis[]>>();

  constructor(
    private readonly folder: string,
    private readonly world: World,
    private readonly gpus: GpuSource,
    private readonly textAt: (path: string) => string | null = textOfPair,
  ) {}

  async runsFor(pair: Pair): Promise<readonly RunAnalysis[]> {
    const key = `${pair.file}\n${pair.gpu}\n${pair.gpus}`;
    const known = this.checked.get(key) ?? this.check(pair);
    this.checked.set(key, known);
    const runs = await known;
    if (runs.some(({ judged }) => judged)) this.read.add(pair.file);
    return runs;
  }

  private async check(pair: Pair): Promise<readonly RunAnalysis[]> {
    const path = resolve(this.folder, pair.file);
    const text = this.textAt(path);
    if (text === null) throw new UsageError(`${path} is not a file of text.`);
    const options = { target: this.target(pair), severities: {} };
    const installed = (library: string): Promise<string | null> =>
      Promise.resolve(installedIn(pair, library));
    return (await analyze(corePath(path), text, { ...this.world, installed }, options, NEVER)).runs;
  }

  /** Where a name is not enough, the first of those that the answer asks to choose from. */
  private target({ file, gpu, gpus: count }: Pair): Target {
    const options = { count, nodes: 1 };
    const reading = parseTarget(gpu, this.gpus, options);
    const chosen = reading.ok ? reading : parseTarget(reading.near[0] ?? '', this.gpus, options);
    if (chosen.ok) return chosen.target;
    throw new UsageError(`${file}: ${reading.ok ? chosen.why : reading.why}`);
  }
}
