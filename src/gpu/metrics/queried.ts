import { isRecord, parsedJson, textIn, valueAt } from '../../core/text/json';

/** Labels that say which GPU a value belongs to; others, such as those of scrapes, are left out. */
const LABELS = [
  ...['gpu', 'UUID', 'Hostname', 'modelName', 'pci_bus_id', 'DCGM_FI_DRIVER_VERSION'],
  ...['GPU_I_ID', 'GPU_I_PROFILE'],
];

/** Metrics that are read. A server may have thousands of others. */
const QUERY =
  '{__name__=~"DCGM_FI_DEV_(GPU_UTIL|MEM_COPY_UTIL|FB_USED|FB_FREE|FB_RESERVED|FB_TOTAL|GPU_TEMP|MEMORY_TEMP|POWER_USAGE|POWER_MGMT_LIMIT|FAN_SPEED|SM_CLOCK|MEM_CLOCK)"}';

/** The instant query of Prometheus's HTTP API. */
export const QUERY_PATH = `/api/v1/query?query=${encodeURIComponent(QUERY)}`;

/** An answer of Prometheus as an exporter would print it; null if it is not one. */
export function queriedText(body: string): string | null {
  const answer = parsedJson(body);
  const result = valueAt(answer, 'data', 'result');
  if (textIn(valueAt(answer, 'status')) !== 'success' || !Array.isArray(result)) return null;
  return result.filter(isRecord).flatMap(lineOf).join('\n');
}

function lineOf(one: Readonly<Record<string, unknown>>): readonly string[] {
  const { metric, value } = one;
  if (!isRecord(metric) || !Array.isArray(value)) return [];
  const [name, amount] = [textIn(metric['__name__']), textIn(value[1])];
  if (name === null || amount === null || !/^[\w:]{1,80}$/.test(name)) return [];
  const labels = LABELS.flatMap(label => {
    const text = textIn(metric[label]);
    return text === null || /["\\\n]/.test(text) ? [] : [`${label}="${text}"`];
  });
  return [`${name}{${labels.join(',')}} ${amount}`];
}
