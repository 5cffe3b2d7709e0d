import type { RunAnalysis } from '../../../src/core/rules/analysis';
import type { World } from '../../../src/core/analyse/world';
import { analyzeFile } from '../../../src/editor/fileAnalysis';
import type { FileAnalysis } from '../../../src/editor/analyst';

export const NEVER = { aborted: false };

/** A world of these files without known models. */
export function worldOf(files: Readonly<Record<string, string>>): World {
  return {
    files: {
      read: path => {
        const text = files[path];
        return Promise.resolve(text === undefined ? { absence: 'missing' } : { text });
      },
      list: folder => {
        const inside = Object.keys(files).filter(path => path.startsWith(`${folder}/`));
        return Promise.resolve(inside.map(path => path.slice(folder.length + 1)).sort());
      },
    },
    models: { find: () => Promise.resolve({ model: null, why: 'No models here.', dependencies: [] }) },
  };
}

/** The analysis of one of these files, without a target. */
export function analyzed(file: string, files: Readonly<Record<string, string>>): Promise<FileAnalysis> {
  const options = { target: null, severities: {} };
  return analyzeFile({ file, text: files[file] ?? '', options }, worldOf(files), NEVER);
}

/** A run that needs the given bytes; null: unknown. */
export function needing(base: RunAnalysis, bytes: number | null): RunAnalysis {
  if (bytes === null) return { ...base, estimate: null };
  const amount = { low: bytes, expected: bytes, high: bytes };
  const device = {
    name: 'per GPU',
    capacityBytes: null,
    usableBytes: null,
    device: amount,
    reserved: amount,
    allocated: amount,
    verdict: 'unknown',
    peakPhase: 'backward',
    phases: [],
    terms: [],
  } as const;
  return { ...base, estimate: { devices: [device], host: null, notCounted: [], assumptions: [] } };
}
