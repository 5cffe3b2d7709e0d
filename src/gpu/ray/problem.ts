import { failed } from '../clusterWatch';
import type { ClusterAnswer } from '../clusterWatch';
import type { HttpAnswer } from '../../remote/http';
import { phrase } from '../../core/text/say';

const TOKEN_TODO = phrase`Set RAY_AUTH_TOKEN in the environment of VS Code or the command line. Headroom sends it only to this machine, over HTTPS, and to the address in RAY_ADDRESS.`;

/** Why a dashboard returned no nodes. */
export function rayProblem(answer: HttpAnswer, sendsToken: boolean): ClusterAnswer {
  if (answer.ok) return byStatus(answer.status, answer.body, sendsToken);
  const message =
    answer.why === 'timed-out' ? 'The Ray dashboard timed out.' : 'The Ray dashboard is unreachable.';
  const todo =
    'Check that the cluster runs (`ray status`) and that its dashboard listens on this address. If it runs on another machine, run `ssh -L 8265:127.0.0.1:8265 HOST` and use http://127.0.0.1:8265.';
  return failed('unreachable', message, todo, answer.text);
}

function byStatus(status: number, body: string, sendsToken: boolean): ClusterAnswer {
  if (status === 401 || status === 403) {
    const message = sendsToken
      ? 'The Ray dashboard rejects the token.'
      : 'The Ray dashboard requires a token.';
    return failed('auth-needed', message, TOKEN_TODO, lastLine(body), true);
  }
  if (status >= 300 && status < 400) {
    const message = 'The address redirects elsewhere, and Headroom does not follow redirects.';
    return failed(
      'driver-error',
      message,
      'Use the address of the dashboard itself, not of a login proxy.',
      '',
    );
  }
  const isRay = status === 200 ? 'not with the nodes of a Ray cluster' : `with ${status}`;
  const message = `This address answers, but ${isRay}.`;
  return failed('driver-error', message, 'Use the dashboard of Ray 2.0 or newer.', lastLine(body));
}

/** On an internal error Ray answers with a traceback; the error is at its end. */
const lastLine = (body: string): string => body.trim().split('\n').at(-1) ?? '';
