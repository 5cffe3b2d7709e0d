import { JobError } from '../engine';
import type { JobRecord, JobRequest, KubernetesPlace } from '../job';
import { remoteArgv } from '../remote/host';

/** Marks what Headroom made; nothing else is changed or deleted. */
export const LABEL = 'headroom/job';
/** The only container. */
export const CONTAINER = 'job';
/** Its output can be read for this long after its end; then Kubernetes deletes the Job and its pod. */
const KEPT_SECONDS = 7 * 86_400;
/** A trainer that is interrupted may write a checkpoint first, as with Slurm (slurm.conf, KillWait). */
const GRACE_SECONDS = 30;
const VOLUME = 'data';

export function placeOf({ place }: JobRequest): KubernetesPlace {
  if (place.engine !== 'kubernetes') throw new JobError('bad-record', 'This job is not for Kubernetes.');
  return place;
}

export const nameOf = (id: string): string => `headroom-${id}`;

/**
 * A Job for one run: one pod, no second try, resources as requested (batch/v1). Its pod gets no token of the API server.
 *
 * @param id of the record; null: a Job that is only checked
 */
export function jobObject(request: JobRequest | JobRecord, id: string): object {
  const { limits, gpus } = request;
  const { claim } = placeOf(request);
  const labels = { 'app.kubernetes.io/managed-by': 'headroom', [LABEL]: id };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: nameOf(id), labels },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: KEPT_SECONDS,
      ...(limits.timeMinutes !== null && { activeDeadlineSeconds: limits.timeMinutes * 60 }),
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: GRACE_SECONDS,
          ...(gpus.type !== undefined && { nodeSelector: { 'nvidia.com/gpu.product': gpus.type } }),
          ...elsewhere(limits.avoid ?? []),
          containers: [containerOf(request, id)],
          ...(claim !== null && {
            volumes: [{ name: VOLUME, persistentVolumeClaim: { claimName: claim } }],
          }),
        },
      },
    },
  };
}

function containerOf(request: JobRequest, id: string): object {
  const { argv, folder, environment, limits, gpus } = request;
  const { image, folder: workingDir, claim } = placeOf(request);
  const variables = Object.entries({ ...environment, HEADROOM_JOB: id });
  const resources = {
    ...(limits.cpus !== null && { cpu: String(limits.cpus) }),
    ...(limits.memoryMiB !== null && { memory: `${limits.memoryMiB}Mi` }),
    ...(gpus.count > 0 && { 'nvidia.com/gpu': String(gpus.count) }),
  };
  return {
    name: CONTAINER,
    image,
    command: remoteArgv(argv, folder).map(literal),
    env: variables.map(([name, value]) => ({ name, value: literal(value) })),
    ...(workingDir !== null && { workingDir }),
    // Requests are the same if only limits are given.
    resources: { limits: resources },
    ...(claim !== null && workingDir !== null && { volumeMounts: [{ name: VOLUME, mountPath: workingDir }] }),
  };
}

/** Kubernetes expands `$(NAME)` in commands and values, and makes one `$` of `$$`. */
const literal = (text: string): string => text.replaceAll('$', '$$$$');

/** Nodes to avoid if there are others. */
function elsewhere(nodes: readonly string[]): object {
  if (nodes.length === 0) return {};
  const preference = {
    matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'NotIn', values: nodes }],
  };
  const nodeAffinity = {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }],
  };
  return { affinity: { nodeAffinity } };
}
