import type { World } from '../core/analyse/world';
import { keptIn } from '../core/learn/lookups';
import type { LengthFiles, MeasurementFiles } from '../core/learn/lookups';
import { similarModels } from '../core/models/similar';
import type { ModelSource } from '../core/models/model';
import type { Files } from '../core/text/files';
import { LENGTHS, MEASUREMENTS } from '../core/text/paths';
import { Definitions } from '../world/definitions';
import { Launchers } from '../world/launchers';
import { recordsIn } from '../world/lengths';
import { ModelSearch } from '../world/modelSearch';
import { NearbyFiles } from '../world/nearbyFiles';
import { webCatalogs } from './catalogs';
import type { ReadData } from './catalogs';

type Catalogs = ReturnType<typeof webCatalogs>;

/** Models in the workspace and in the catalog: a browser has no home folder and no cache. */
class WebModels implements ModelSource {
  constructor(
    private readonly files: Files,
    private readonly catalogs: Catalogs,
  ) {}

  async find(model: string, from: string): Promise<Awaited<ReturnType<ModelSource['find']>>> {
    const places = { from, home: '', cache: null, downloads: null };
    const search = new ModelSearch(this.files, await this.catalogs.models(), places);
    const found = await search.find(model.trim());
    return { model: found, why: found ? null : whyNot(model, search), dependencies: search.tried };
  }

  readonly similar = async (model: string) => similarModels(await this.catalogs.models(), model.trim());
}

function whyNot(name: string, { faults }: ModelSearch): string {
  if (name.trim() === '') return 'The config names no model.';
  return faults.length > 0 ? `Couldn't use ${faults.join('; ')}.` : 'Not in the catalog or in the workspace.';
}

/** The workspace's measurements; those of a program are left out, as nothing here tells whether it has changed. */
class WebMeasurements implements MeasurementFiles {
  private readonly kept: NearbyFiles<ReturnType<typeof keptIn>>;

  constructor(
    files: Files,
    private readonly version: string,
  ) {
    this.kept = new NearbyFiles(MEASUREMENTS, async path => {
      const answer = await files.read(path);
      return keptIn('text' in answer ? answer.text : null);
    });
  }

  async near(file: string) {
    const { paths, contents } = await this.kept.near(file);
    const measurements = contents.flatMap(one => one.measurements).filter(({ program }) => !program);
    const speeds = contents.flatMap(one => one.speeds);
    const rates = contents.flatMap(one => one.rates);
    return { measurements, speeds, rates, dependencies: paths, by: this.version };
  }

  forget(): void {
    this.kept.forget();
  }
}

/** The workspace's counts of lengths. Their data are assumed unchanged, as data on no disk of this machine always are. */
class WebLengths implements LengthFiles {
  private readonly kept: NearbyFiles<Awaited<ReturnType<typeof recordsIn>>>;

  constructor(files: Files) {
    this.kept = new NearbyFiles(LENGTHS, path => recordsIn(files, path));
  }

  async near(file: string) {
    const { paths, contents } = await this.kept.near(file);
    const records = contents.flat().toSorted((a, b) => (a.at < b.at ? -1 : 1));
    return { counted: records.map(record => ({ record, isStale: false })), dependencies: paths };
  }

  forget(): void {
    this.kept.forget();
  }
}

interface WebWorldOptions {
  readonly files: Files;
  readonly readData: ReadData;
  /** The folder at which the search for a config's launchers ends. */
  readonly top: (config: string) => string | null;
  /** Headroom's own. */
  readonly version: string;
}

/** What a browser knows: the workspace's files and the catalogs. There is no machine, so host RAM is unknown. */
export function openWebWorld({ files, readData, top, version }: WebWorldOptions) {
  const catalogs = webCatalogs(readData);
  return {
    files,
    models: new WebModels(files, catalogs),
    definitions: new Definitions(files),
    launchers: new Launchers(files, top),
    measurements: new WebMeasurements(files, version),
    lengths: new WebLengths(files),
    gpuNamed: catalogs.gpuNamed,
  } satisfies World;
}
