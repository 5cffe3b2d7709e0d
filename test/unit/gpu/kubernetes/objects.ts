/** A node as an API server describes it, with what Headroom reads. */
export function node(
  name: string,
  allocatable: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
  more: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly spec?: object;
    readonly ready?: string;
  } = {},
): Readonly<Record<string, unknown>> {
  return {
    metadata: { name, labels, annotations: more.annotations ?? {} },
    spec: more.spec ?? {},
    status: {
      allocatable: { cpu: '64', memory: '515928Mi', ...allocatable },
      conditions: [{ type: 'Ready', status: more.ready ?? 'True' }],
    },
  };
}

type Quantities = Readonly<Record<string, string>>;

/** A pod on a node whose only container has these limits. */
export function pod(
  name: string,
  nodeName: string,
  limits: Quantities,
  more: {
    readonly annotations?: Quantities;
    readonly phase?: string;
    readonly initContainers?: readonly object[];
  } = {},
): Readonly<Record<string, unknown>> {
  return {
    metadata: { namespace: 'team', name, annotations: more.annotations ?? {} },
    spec: {
      nodeName,
      containers: [{ name: 'main', resources: { limits, requests: limits } }],
      initContainers: more.initContainers ?? [],
    },
    status: { phase: more.phase ?? 'Running' },
  };
}

export const H100 = { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3', 'nvidia.com/gpu.memory': '81559' };
