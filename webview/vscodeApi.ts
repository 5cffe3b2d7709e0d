import type { JobsFromPage } from '../src/panel/page/jobs';
import type { FromPage } from '../src/panel/page/protocol';

/** The state that the page keeps while its frame is destroyed. */
interface Kept {
  readonly scrollTop: number;
}

interface VsCodeApi {
  postMessage(message: FromPage | JobsFromPage): void;
  getState(): unknown;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();

export const post = (message: FromPage | JobsFromPage): void => api.postMessage(message);

export const saveState = (state: Kept): void => api.setState(state);

export function savedState(): Kept {
  const { scrollTop } = (api.getState() ?? {}) as Partial<Record<keyof Kept, unknown>>;
  return { scrollTop: typeof scrollTop === 'number' ? scrollTop : 0 };
}
