import { formatBytes } from '../src/core/units';
import type { Metric } from '../src/core/output/progress/series';
import type { JobCurves } from '../src/panel/page/jobs';
import type { Charted } from '../src/panel/page/charted';
import type { Curve, CurveKind } from './lineChart';
import { t } from './texts';

/** A chart of a job: its name, and where its values come from. */
interface JobChart {
  readonly kind: CurveKind;
  readonly curve: (of: JobCurves) => Curve | null;
}

function figure(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(1);
  return size >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(4)));
}

function ofOutput(metric: Metric, name: string, color: Charted): JobChart {
  return {
    kind: {
      name,
      className: `metric-${metric}`,
      color,
      figure,
      at: step => ` at step ${step}`,
      fromZero: false,
    },
    curve: ({ output }) => output && { xs: output.steps, values: output.columns[metric] },
  };
}

const atTime = (ms: number): string => ` at ${new Date(ms).toLocaleTimeString()}`;

/** A chart with the job's prediction must say whose memory it shows. */
const MEMORY_OF = {
  job: { name: t('Job memory'), title: t('Memory the job itself uses on its fullest GPU') },
  all: {
    name: t('Total memory'),
    title:
      "Memory used by all processes on the job's fullest GPU. The job's own share is unknown (in a container, process IDs differ).",
  },
} as const;

/** The GPUs' memory comes first, because the prediction is about it. */
export const JOB_CHARTS: readonly JobChart[] = [
  {
    kind: {
      name: t('Memory'),
      className: 'gpus-memory',
      color: 'memoryUsedMiB',
      figure: formatBytes,
      at: atTime,
      fromZero: true,
    },
    curve: ({ gpus, predictedBytes: level }) =>
      gpus && {
        xs: gpus.timesMs,
        values: gpus.memoryBytes,
        level,
        ...MEMORY_OF[gpus.memoryOf],
      },
  },
  {
    kind: {
      name: t('GPU load'),
      className: 'gpus-load',
      color: 'utilPct',
      figure: value => `${Math.round(value)} %`,
      at: atTime,
      fromZero: true,
    },
    curve: ({ gpus }) => gpus && { xs: gpus.timesMs, values: gpus.utilPct },
  },
  ofOutput('loss', t('Loss'), 'tempC'),
  ofOutput('learningRate', t('Learning rate'), 'powerW'),
  ofOutput('tokensPerSecond', t('Tokens/s'), 'utilPct'),
];
