import type { ComparedPlace } from '../plan/places/fit';
import type { RunAnalysis } from '../rules/analysis';
import { evidenceAsJson } from './evidence';
import { remedyAsJson } from './json';
import { speedAsJson } from './speed';
import type { Json } from '../text/json';
import { MIB } from '../units';

/** The output of `compare --json`: schema `headroom/1`. Deterministic. */
export function compareAsJson(file: string, run: RunAnalysis, rows: readonly ComparedPlace[]): Json {
  return { schema: 'headroom/1', file, run: run.run.name, places: rows.map(placeAsJson) };
}

function placeAsJson({ place, fit, answer, needsGpus, takesGpus, price, speed }: ComparedPlace): Json {
  const { target } = place;
  return {
    kind: place.kind,
    where: place.where,
    gpu: target.name,
    gpus: place.gpus,
    gpusFree: place.free,
    capacityBytes: target.totalMiB * MIB,
    freeBytes: Math.max(0, target.usableMiB - target.busyMiB) * MIB,
    answer,
    verdict: fit.verdict,
    bytes: fit.need && { low: fit.need.low, expected: fit.need.expected, high: fit.need.high },
    headroomBytes: fit.headroomBytes,
    needsGpus,
    takesGpus,
    fix: fit.fix && { ...remedyAsJson(fit.fix), verdict: fit.fix.after.verdict },
    largestBatch: fit.largestBatch && { ...fit.largestBatch },
    usdPerHour: price && Number((price.usdPerHour * takesGpus).toFixed(3)),
    priceFrom: price && `${price.source} ${price.date}`,
    speed: speed && speedAsJson(speed),
    note: place.note,
    missing: [...fit.missing],
    ...(fit.evidence && { evidence: evidenceAsJson(fit.evidence) }),
  };
}
