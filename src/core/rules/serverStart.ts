import type { DeviceEstimate, Refusal, ServedRoom } from '../memory/estimate';
import type { ModelFacts } from '../models/model';
import { servedPositions } from '../models/servedPositions';
import { formatBytes, grouped } from '../units';
import type { Report, Rule, RuleContext, SuggestedRemedy } from './rule';
import type { Say } from '../text/say';

const servedOf = ({ estimate }: RuleContext): DeviceEstimate | null =>
  estimate?.devices.find(({ served }) => served !== undefined) ?? null;

/** Whole pages that people write: 21,504 rather than 21,872. */
export function roundedLength(tokens: number): number {
  const step = tokens >= 8192 ? 512 : tokens >= 1024 ? 128 : 16;
  return Math.floor(tokens / step) * step;
}

/** The engine takes what is left, and only starts if that holds one request of the promised length. */
export const serverCacheTooSmall: Rule = {
  id: 'server-cache-too-small',
  severity: 'error',
  summary: 'The server refuses to start: its KV cache holds less than one request.',
  sources: [
    "vllm v1/core/kv_cache_utils.py, _check_enough_kv_cache_memory: “To serve at least one request with the models's max seq len”, “No available memory for the cache blocks”",
    'text-generation-inference 3.3 backends/v3/src/lib.rs: “Not enough memory to handle `max_total_tokens=…`”; server/models/flash_causal_lm.py, warmup: “Not enough memory to handle … prefill tokens”',
    'sglang srt/model_executor: “Not enough memory. Please try to increase --mem-fraction-static.”',
    "vllm 0.6 worker/worker.py, raise_if_cache_size_invalid: “The model's max seq len (…) is larger than the maximum number of tokens that can be stored in KV cache”",
  ],
  check(context) {
    const device = servedOf(context);
    const { served } = device ?? {};
    if (!device || !served || served.refusal !== null || served.sequences >= 1) return [];
    if (served.cutsRequests) return [];
    return [
      {
        at: ['quantity:seqLen', 'quantity:model'],
        message: cacheMessage(device, served, context),
        remedies: waysToStart(context, served),
        plan: 'fit',
      },
    ];
  },
};

/** A key as the file spells those of the engine: `max_model_len` in Python, `max-model-len` on a command line. */
function spelled({ run: { quantities, details } }: RuleContext, { shareKey, lengthKey }: ServedRoom) {
  const stated = [quantities.seqLen, ...Object.values(details)].flatMap(one =>
    one.origin.kind === 'file' ? (one.origin.at.path.split('.').at(-1) ?? []) : [],
  );
  const joined = [shareKey, lengthKey].map(key => key.replaceAll('-', '_'));
  const [share = '', length = ''] = stated.some(key => joined.includes(key)) ? joined : [shareKey, lengthKey];
  return { shareKey: share, lengthKey: length };
}

function cacheMessage({ device }: DeviceEstimate, served: ServedRoom, where: RuleContext): string {
  const { context, longest, cacheBytes, says } = served;
  const { say } = where;
  const what =
    cacheBytes <= 0
      ? say(
          'The server refuses to start: {0}. Weights and the first pass take {1}.',
          says.nothing,
          formatBytes(device.expected),
        )
      : say(
          'The server refuses to start: {0}. The cache of {1} holds {2} tokens.',
          says.tooSmall.replace('{length}', grouped(context)),
          formatBytes(cacheBytes),
          grouped(longest),
        );
  return say('{0} {1}', what, wayOut(where, served));
}

function wayOut(where: RuleContext, served: ServedRoom): string {
  const { say } = where;
  const { longest, leastShare, share } = served;
  const { shareKey, lengthKey } = spelled(where, served);
  const cap = roundedLength(longest);
  const raises = leastShare !== null && leastShare > share;
  if (cap > 0 && raises) {
    return say('Cap {0} at {1}, or raise {2} to {3}.', lengthKey, grouped(cap), shareKey, leastShare);
  }
  if (cap > 0) return say('Cap {0} at {1}.', lengthKey, grouped(cap));
  return raises
    ? say('Raise {0} to {1}.', shareKey, leastShare)
    : say('Use a GPU with more memory, or more GPUs.');
}

function waysToStart(where: RuleContext, served: ServedRoom): SuggestedRemedy[] {
  const { longest, leastShare, share } = served;
  const { shareKey, lengthKey } = spelled(where, served);
  const { run } = where;
  const cap = roundedLength(longest);
  return [
    ...(cap > 0
      ? [
          {
            title: where.say('Cap {0} at {1}', lengthKey, grouped(cap)),
            changes: [{ quantity: 'seqLen' as const, to: cap }],
          },
        ]
      : []),
    ...(leastShare !== null && leastShare > share && run.details.memoryShare !== undefined
      ? [
          {
            title: where.say('Raise {0} to {1}', shareKey, leastShare),
            changes: [{ detail: 'memoryShare' as const, to: leastShare }],
          },
        ]
      : []),
  ];
}

/** The engine starts, and answers no more than its cache holds. */
export const serverCutsRequests: Rule = {
  id: 'server-cuts-requests',
  severity: 'warning',
  summary: 'The KV cache holds less than the longest request: longer ones are cut.',
  sources: [
    'sglang managers/tp_worker.py: max_req_len is the smaller of context_len and max_total_num_tokens',
  ],
  check(context) {
    const { served } = servedOf(context) ?? {};
    if (!served?.cutsRequests || served.refusal !== null) return [];
    const { tokens, context: length, leastShare, share, shareKey } = served;
    const cap = capOf(context, length);
    const raise =
      cap === null
        ? leastShare === null || leastShare <= share
          ? context.say('Use a GPU with more memory, or more GPUs.')
          : context.say('Raise {0} to {1}.', shareKey, leastShare)
        : context.say('Raise {0} to {1}.', cap, grouped(length));
    const message = context.say(
      'Requests end at {0} of {1} tokens: the cache holds no more. {2}',
      grouped(tokens),
      grouped(length),
      raise,
    );
    return [
      {
        at: ['quantity:seqLen', 'quantity:model'],
        message,
        remedies: waysToStart(context, served),
        plan: 'fit',
      },
    ];
  },
};

/** The key that caps the cache below a request; null: none does. */
function capOf({ run }: RuleContext, length: number): string | null {
  const { value = null, origin } = run.details.cacheTokens ?? {};
  return value !== null && value < length && origin?.kind === 'file'
    ? (origin.at.path.split('.').at(-1) ?? '').replace(/^--/, '')
    : null;
}

interface Refused {
  readonly model: ModelFacts;
  readonly served: ServedRoom;
  readonly ranks: number;
}

type Words = (say: Say, refused: Refused) => Omit<Report, 'at'>;

const REFUSALS: Readonly<Record<Refusal, Words>> = {
  length: (say, { model, served: { context, lengthKey, says } }) => {
    const { length } = says;
    const most = servedPositions(model) ?? 0;
    const name = length?.name ?? lengthKey;
    return {
      message: length
        ? say(
            "The server refuses to start: {0} {1} is above the model's {2}. Cap it at {2}; {3} turns the check off.",
            name,
            grouped(context),
            grouped(most),
            length.override,
          )
        : say(
            "The server refuses to start: {0} {1} is above the model's {2}. Cap it at {2}.",
            name,
            grouped(context),
            grouped(most),
          ),
      remedies: [
        {
          title: say('Cap the length at {0}', grouped(most)),
          changes: [{ quantity: 'seqLen' as const, to: most }],
        },
      ],
    };
  },
  heads: (say, { model, ranks }) => ({
    message: say(
      "The server refuses to start: {0} tensor-parallel ranks don't divide {1} attention heads. Use a number of ranks that divides them.",
      ranks,
      model.heads,
    ),
  }),
  share: (say, { served: { share, shareKey, mostShare } }) => ({
    message: say(
      'The server refuses to start: free memory is less than {0} {1} asks for. Lower it to {2}.',
      shareKey,
      share,
      mostShare,
    ),
    remedies: [
      {
        title: say('Lower {0} to {1}', shareKey, mostShare),
        changes: [{ detail: 'memoryShare' as const, to: mostShare }],
      },
    ],
  }),
  vocabulary: (say, { model, ranks }) => ({
    message: say(
      "The server fails at loading: {0} tensor-parallel ranks don't divide {1} words. Use a power of two.",
      ranks,
      grouped(model.vocabSize),
    ),
  }),
};

const PLACES: Readonly<Record<Refusal, readonly string[]>> = {
  length: ['quantity:seqLen'],
  share: ['gpu-memory-utilization', 'quantity:seqLen'],
  heads: ['quantity:parallel'],
  vocabulary: ['quantity:parallel'],
};

/** What the engine checks before it loads the model. */
export const serverRefusesModel: Rule = {
  id: 'server-refuses-model',
  severity: 'error',
  summary: 'The server refuses to start: a setting does not suit the model.',
  sources: [
    'vllm config/model.py, _get_and_verify_max_len: “User-specified max_model_len (…) is greater than the derived max_model_len”',
    'vllm config/model.py, verify_with_parallel_config: “Total number of attention heads (…) must be divisible by tensor parallel size (…)”',
    'vllm v1/worker/utils.py, request_memory: “Free memory on device … on startup is less than desired GPU memory utilization”',
    'sglang srt/configs/model_config.py, _derive_context_length (since 0.5.3); srt/models/llama.py: `assert self.total_num_heads % tp_size == 0` (0.5.6; of ranks of attention in qwen3.py, gpt_oss.py)',
    'text-generation-inference server/models/custom_modeling: “`num_heads` must be divisible by `num_shards`”',
    'vllm model_executor/layers/vocab_parallel_embedding.py with distributed/utils.py, divide: “… is not divisible by …”',
  ],
  check(context) {
    const { served } = servedOf(context) ?? {};
    const { model, run, say } = context;
    if (!served || served.refusal === null || model === null) return [];
    if (served.refusal === 'share' && served.mostShare <= 0) return [];
    const ranks = run.quantities.parallel.value?.tensor ?? 1;
    const at = PLACES[served.refusal];
    return [{ ...REFUSALS[served.refusal](say, { model, served, ranks }), at: [...at, 'quantity:model'] }];
  },
};
