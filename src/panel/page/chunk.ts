import type { Webview } from 'vscode';
import type { Fleet } from '../../gpu/fleet';
import { chooseMeterGpu } from '../chooseMeterGpu';
import type { PageServices } from '../pageServices';
import { ServedPage } from '../servedPage';
import { cardsAsText } from './asText';
import { hostCard } from './cards';
import { exported } from './exported';
import type { ExportFormat } from './exported';
import type { HostCard } from './protocol';

const cardsOf = (fleet: Fleet): readonly HostCard[] =>
  fleet.watches().map(({ reading }) => hostCard(reading));

/** A separate chunk that serves the panel's page, loaded when the panel is first shown. */
export const pages = {
  serve: (webview: Webview, services: PageServices) => new ServedPage(webview, services),
  chooseMeterGpu,
  fleetAsText: (fleet: Fleet) => cardsAsText(cardsOf(fleet)),
  exported: (fleet: Fleet, format: ExportFormat) => exported(cardsOf(fleet), fleet.history, format),
};

export type Pages = typeof pages;
