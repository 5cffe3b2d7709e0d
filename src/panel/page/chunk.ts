import type { Fleet } from '../../gpu/fleet';
import { nodeTimers } from '../../gpu/timers';
import { chooseMeterGpu } from '../chooseMeterGpu';
import { cardsAsText } from './asText';
import { hostCard } from './cards';
import { exported } from './exported';
import type { ExportFormat } from './exported';
import { JobsFeed } from './jobsFeed';
import type { JobsFeedOptions } from './jobsFeed';
import type { HostCard } from './protocol';
import { PanelSession } from './session';
import type { SessionOptions } from './session';

const cardsOf = (fleet: Fleet): readonly HostCard[] =>
  fleet.watches().map(({ reading }) => hostCard(reading));

/** A separate chunk that serves the panel's page, loaded when the panel is first shown. */
export const pages = {
  open: (options: Omit<SessionOptions, 'timers'>) => new PanelSession({ ...options, timers: nodeTimers }),
  jobs: (options: Omit<JobsFeedOptions, 'timers'>) => new JobsFeed({ ...options, timers: nodeTimers }),
  asText: cardsAsText,
  chooseMeterGpu,
  fleetAsText: (fleet: Fleet) => cardsAsText(cardsOf(fleet)),
  exported: (fleet: Fleet, format: ExportFormat) => exported(cardsOf(fleet), fleet.history, format),
};

export type Pages = typeof pages;
