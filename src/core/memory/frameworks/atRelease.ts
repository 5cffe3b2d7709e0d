import type { Framework, RunSpec } from '../../spec/runSpec';
import { packageName } from '../../spec/version';
import { profileOf } from './profileOf';

/** The run in a framework of other releases, with the engine's own defaults there where the files are silent. */
export function atRelease(run: RunSpec, framework: Framework): RunSpec {
  const version = framework.version ?? '';
  const share = run.details.memoryShare;
  const engine = profileOf(framework).serving?.inRelease?.(version);
  if (share?.origin.kind !== 'default' || !engine || engine.share === null) return { ...run, framework };
  const memoryShare = { ...share, value: engine.share, origin: { ...share.origin, version } };
  return { ...run, framework, details: { ...run.details, memoryShare } };
}

/** The framework with another release of a library, which may be the framework itself. */
export function withLibrary(framework: Framework, library: string, release: string): Framework {
  if (packageName(framework.name) === library) return { ...framework, version: release };
  return { ...framework, libraries: { ...framework.libraries, [library]: release } };
}
