import { WINDOWS } from './charted';

export const SORTS = ['index', 'memory', 'utilisation', 'temperature', 'power', 'name'] as const;

export type Sort = (typeof SORTS)[number];

/** The user's settings of the panel; they survive the panel and the window. */
export interface ViewState {
  readonly windowMs: number;
  readonly sort: Sort;
  readonly filter: string;
  /** Ids of collapsed hosts and devices. */
  readonly collapsed: readonly string[];
  /** Ids of devices pinned to the top. */
  readonly pinned: readonly string[];
  /** Ids of devices whose processes are shown. */
  readonly opened: readonly string[];
}

export const DEFAULT_VIEW: ViewState = {
  windowMs: 300_000,
  sort: 'index',
  filter: '',
  collapsed: [],
  pinned: [],
  opened: [],
};

/** More than any fleet has; it bounds the stored state. */
const MOST_IDS = 2000;
const MOST_FILTER = 200;

/** Validates the stored state, because its content is untrusted. */
export function viewStateOf(kept: unknown): ViewState {
  const { windowMs, sort, filter, collapsed, pinned, opened } = (kept ?? {}) as Readonly<
    Record<string, unknown>
  >;
  return {
    windowMs: WINDOWS.find(({ ms }) => ms === windowMs)?.ms ?? DEFAULT_VIEW.windowMs,
    sort: SORTS.find(one => one === sort) ?? DEFAULT_VIEW.sort,
    filter: typeof filter === 'string' ? filter.slice(0, MOST_FILTER) : DEFAULT_VIEW.filter,
    collapsed: idsOf(collapsed),
    pinned: idsOf(pinned),
    opened: idsOf(opened),
  };
}

function idsOf(kept: unknown): readonly string[] {
  if (!Array.isArray(kept)) return [];
  return kept.filter(id => typeof id === 'string').slice(0, MOST_IDS);
}
