import { failed } from '../clusterWatch';
import type { ClusterAnswer } from '../clusterWatch';
import { parsedJson, textIn, valueAt } from '../../core/text/json';
import type { HttpAnswer } from '../../remote/http';

/** Why a cluster did not list its nodes. */
export function kubeProblem(answer: HttpAnswer): ClusterAnswer {
  if (!answer.ok) {
    const message =
      answer.why === 'timed-out' ? 'The API server timed out.' : 'The API server can’t be reached.';
    return failed(
      'unreachable',
      message,
      'Run `kubectl get nodes`; check VPN, login and context.',
      answer.text,
    );
  }
  const said = textIn(valueAt(parsedJson(answer.body), 'message')) ?? '';
  if (answer.status === 401) {
    const message = 'The API server rejects the login of the kubeconfig.';
    return failed('auth-needed', message, 'Log in again, so that `kubectl get nodes` works.', said, true);
  }
  if (answer.status === 403) {
    const todo = 'Ask for the right to list nodes and pods (the cluster role `view` has no nodes).';
    return failed('auth-needed', 'You may not list the nodes of this cluster.', todo, said, true);
  }
  const message = `This address answers, but not as a Kubernetes API server (${answer.status}).`;
  return failed('driver-error', message, 'Check `server` in the kubeconfig.', said);
}

export const noKubeconfig = (why: string): ClusterAnswer =>
  failed('auth-needed', why, 'Set KUBECONFIG, or make `kubectl get nodes` work.', '', true);
