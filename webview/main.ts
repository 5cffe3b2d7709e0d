import type { ToPage, FromPage } from '../src/panel/page/protocol';
import type { JobsToPage, JobsFromPage } from '../src/panel/page/jobs';
import { registerControls } from './controls';
import { JobsSection } from './jobsSection';
import { Panel } from './panel';
import { onTheme } from './theme';

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

const post = (message: FromPage | JobsFromPage): void => api.postMessage(message);

const saveState = (state: Kept): void => api.setState(state);

function savedState(): Kept {
  const { scrollTop } = (api.getState() ?? {}) as Partial<Record<keyof Kept, unknown>>;
  return { scrollTop: typeof scrollTop === 'number' ? scrollTop : 0 };
}

/** Restores the scroll position once the cards exist. */
function rememberScroll(): () => void {
  let wanted: number | null = savedState().scrollTop;
  let timer: number | null = null;
  addEventListener('scroll', () => {
    timer ??= window.setTimeout(() => {
      timer = null;
      saveState({ scrollTop: scrollY });
    }, 200);
  });
  return () => {
    if (wanted !== null && wanted > 0) scrollTo(0, wanted);
    wanted = null;
  };
}

const root = document.getElementById('panel');
if (root) {
  registerControls();
  const panel = new Panel(root, post);
  const scrollBack = rememberScroll();
  const jobs = new JobsSection(post);
  root.querySelector('h1')?.after(jobs.element);
  onTheme(() => jobs.redo());
  addEventListener('message', ({ data }: MessageEvent<ToPage | JobsToPage>) => {
    if (data.type === 'jobs' || data.type === 'metrics') {
      jobs.receive(data);
      return;
    }
    panel.receive(data);
    if (data.type === 'hydrate') scrollBack();
  });
  post({ type: 'ready' });
}
