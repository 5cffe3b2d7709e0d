import { countedTokens, roomIn } from './cacheRoom';
import { contextBytes } from './context';
import type { Target } from '../hardware/gpu';
import type { Bytes, ServedRoom, Verdict, Refusal } from './estimate';
import type { EngineWords, ModelCheck, Profile, Serving } from './engine';
import type { Peak } from './ledger';
import type { MemoryRun } from './run';
import { knowsDrafts } from './serving/drafts';
import { startedUp, unread } from './serving/startUp';
import { KV_CACHE } from './terms';
import type { PlayedPhase } from './played';
import { MIB } from '../units';
import type { ModelFacts } from '../models/model';
import { servedPositions } from '../models/servedPositions';

/** Tables of words are padded to a multiple of this before ranks share them (vocab_parallel_embedding.py). */
const VOCABULARY_STEP = 64;

/** Why an engine refuses a model before it loads it; null: nothing known. */
function refusalOf(model: ModelFacts, serving: Serving): Refusal | null {
  // A model that only its name describes has no positions and heads of its own.
  if (model.extra['supposed'] === true) return null;
  return serving.engine.checks?.find(check => FAILS[check](model, serving)) ?? null;
}

const FAILS: Readonly<Record<ModelCheck, (model: ModelFacts, serving: Serving) => boolean>> = {
  length: (model, { overridesLength, context }) => !overridesLength && isTooLong(model, context),
  heads: ({ heads }, { tensorRanks }) => heads > 0 && heads % tensorRanks !== 0,
  vocabulary: ({ vocabSize }, { tensorRanks }) =>
    (Math.ceil(vocabSize / VOCABULARY_STEP) * VOCABULARY_STEP) % tensorRanks !== 0,
};

/** Unknown positions refuse nothing; a copy that is only called like a model may have others. */
function isTooLong(model: ModelFacts, context: number): boolean {
  if (model.source === 'name') return false;
  const most = servedPositions(model);
  return most !== null && context > most;
}

/**
 * The longest sequence that a cache of this many bytes holds, in whole blocks; 0: not one block. Where every layer has a
 * window, the cache holds any sequence, and the model's positions are the most.
 */
function longestIn(run: MemoryRun, serving: Serving, bytes: number): number {
  const { block } = serving.engine;
  const holds = (blocks: number): boolean =>
    roomIn(run, { ...serving, context: blocks * block }, bytes).sequences >= 1;
  if (!holds(1)) return 0;
  let least = 1;
  let most = 2;
  while (holds(most) && most * block < MOST_TOKENS) {
    least = most;
    most *= 2;
  }
  if (most * block >= MOST_TOKENS) return Math.max(serving.context, servedPositions(run.model) ?? 0);
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (holds(middle)) least = middle;
    else most = middle;
  }
  return least * block;
}

/** No model is made for more. */
const MOST_TOKENS = 2 ** 28;

/** The memory that an engine takes for keys and values, and next to them. */
export interface Served {
  /** The phases without the cache. */
  readonly phases: readonly PlayedPhase[];
  readonly room: ServedRoom;
  /** What its context takes less than that of training. */
  readonly lessContextBytes: number;
  /** Outside torch's counters. */
  readonly kernelsBytes: number;
  readonly communicationBytes: number;
  /** The startup was read: the engine's share decides the whole. */
  readonly isExact: boolean;
  /** The cache holds one sequence of the promised length, even if the startup takes more than expected. */
  readonly serves: 'surely' | 'perhaps' | 'no';
  /** It starts only where its context is smaller than usual. */
  readonly isPressed: boolean;
}

/** Facts about a device when the engine asks for the remaining memory. */
interface Device {
  readonly target: Target;
  readonly workspaceBytes: number;
}

/**
 * What a server's CUDA context takes of an idle GPU when vLLM looks what is free, in MiB: total less free of “Free memory
 * on device (…/… GiB) on startup” (v1/worker/gpu_worker.py) in ten published logs of RTX 3090, 4090 and 5090, L40S and
 * A100 80 GB: 0.17, 0.41, 0.45, 0.45, 0.49, 0.51, 0.52, 0.53, 0.53 and 0.63 GiB. Training's contexts are larger.
 */
export const STARTED_CONTEXT_MIB = { least: 174, usual: 522 };

/** The context of a server; where its share leaves less than usual, what it leaves, down to the least that was seen. */
function startedContext({ engine, share }: Serving, target: Target): number {
  if (!engine.startUp) return contextBytes(target);
  const { least, usual } = STARTED_CONTEXT_MIB;
  if (!engine.startUp.checksFree) return usual * MIB;
  const left = target.usableMiB * (1 - share) - target.busyMiB;
  return Math.min(usual, Math.max(least, left)) * MIB;
}

const checksFree = ({ engine }: Serving): boolean => engine.startUp?.checksFree === true;

/** vLLM compares its share with what is free once the context is there (v1/worker/utils.py, request_memory). */
function shareRefusal(serving: Serving, { usableMiB, busyMiB }: Target, context: number): 'share' | null {
  const asked = serving.share * usableMiB + context / MIB + busyMiB;
  return checksFree(serving) && asked > usableMiB ? 'share' : null;
}

/** The largest share in hundredths that surely starts next to what others use. */
function safeShare({ usableMiB, busyMiB }: Target, context: number): number {
  const usual = Math.max(context / MIB, STARTED_CONTEXT_MIB.usual);
  return Math.floor((1 - (usual + busyMiB) / usableMiB) * 100) / 100;
}

export function servedOn(
  run: MemoryRun,
  serving: Serving,
  modelPhases: readonly PlayedPhase[],
  { target, workspaceBytes }: Device,
): Served {
  const { engine } = serving;
  const context = startedContext(serving, target);
  const started = engine.startUp
    ? startedUp(run, serving, engine.startUp, modelPhases, target)
    : unread(run, serving, modelPhases, target);
  const [load = 0, ...rest] = started.phases.map(({ peak }) => peak.bytes);
  const peakBytes = Math.max(...rest) + workspaceBytes;
  const besideTorchBytes = started.kernelsBytes + started.communicationBytes;
  const profile: Profile = {
    totalBytes: (engine.startUp ? target.usableMiB : target.totalMiB) * MIB,
    contextBytes: context,
    besideTorchBytes,
    graphsBytes: started.graphsBytes,
    weightsBytes: load,
    peakBytes: peakBytes - (engine.startUp?.omitsAdapters ? started.adaptersBytes : 0),
  };
  const left = engine.cacheBytes(profile, serving.share);
  const mostShare = safeShare(target, context);
  const cache = roomIn(run, serving, left);
  const room: ServedRoom = {
    ...factsOf(serving),
    tokens: countedTokens(serving, cache),
    sequences: cache.sequences,
    longest: longestIn(run, serving, left),
    surely: knowsDrafts(serving) ? longestIn(run, serving, left - doubtIn(run, profile)) : 0,
    cacheBytes: cache.bytes,
    weightsBytes: load,
    activationBytes: peakBytes - load,
    besideTorchBytes,
    graphsBytes: engine.startUp ? started.graphsBytes : null,
    countsGraphs: engine.startUp?.countsGraphs === true,
    leastShare: leastShareOf(run, serving, profile),
    mostShare,
    cutsRequests: cutsRequests(serving) && cache.tokens > 0 && cache.sequences < 1,
    refusal: refusalOf(run.model, serving) ?? shareRefusal(serving, target, context),
  };
  return {
    phases: started.phases,
    room,
    lessContextBytes: contextBytes(target) - context,
    kernelsBytes: started.kernelsBytes,
    communicationBytes: started.communicationBytes,
    isExact: engine.startUp !== undefined,
    serves: room.refusal === null ? servesIn(run, serving, left, profile) : 'no',
    isPressed: checksFree(serving) && serving.share > mostShare,
  };
}

/** The room's facts that the model and the GPU do not change. */
const factsOf = (serving: Serving) => ({
  engine: serving.engine.title,
  shareKey: serving.engine.shareKey,
  lengthKey: serving.engine.lengthKey,
  says: serving.engine.says ?? PLAIN_WORDS,
  share: serving.share,
  most: serving.sequences,
  tensorRanks: serving.tensorRanks,
  isPlainStep: isPlainStep(serving),
  context: serving.context,
});

/** What drafts changes how many tokens a pass writes; weights on the host are read over its bus. */
const isPlainStep = ({ extras }: Serving): boolean =>
  extras === null || (extras.drafter === null && extras.offloadGiB === 0);

/** It starts with any cache: always, or where it may choose the length itself. */
const cutsRequests = ({ engine, isStated }: Serving): boolean =>
  engine.cutsRequests === true || (engine.cutsUnstated === true && !isStated);

/** For engines whose words are not known. */
const PLAIN_WORDS: EngineWords = {
  tooSmall: 'a request of {length} tokens is larger than the cache',
  nothing: 'no memory is left for the cache',
};

/** Beyond this share nothing is left for what comes on top. */
const MOST_SHARE = 0.98;

/** The smallest share in hundredths, from the given one, that holds a request of the promised length. */
function leastShareOf(run: MemoryRun, serving: Serving, profile: Profile): number | null {
  for (let hundredths = 1; hundredths <= MOST_SHARE * 100; hundredths++) {
    const left = serving.engine.cacheBytes(profile, hundredths / 100);
    if (left > 0 && roomIn(run, serving, left).sequences >= 1) return hundredths / 100;
  }
  return null;
}

/** How much more a startup took than expected in one of twenty starts: weights, the pass, and outside torch. */
const MORE = { weights: 0.01, pass: 0.15, outsideTorch: 0.3 };

/** The same for the weights of a model that only its name describes. */
const MORE_SUPPOSED = 0.5;

function servesIn(run: MemoryRun, serving: Serving, left: number, profile: Profile): Served['serves'] {
  const holds = (bytes: number): boolean => {
    const { tokens, sequences } = roomIn(run, serving, bytes);
    return cutsRequests(serving) ? bytes > 0 && tokens > 0 : sequences >= 1;
  };
  if (!holds(left)) return 'no';
  if (!knowsDrafts(serving)) return 'perhaps';
  return holds(left - doubtIn(run, profile)) ? 'surely' : 'perhaps';
}

function doubtIn({ model }: MemoryRun, { weightsBytes, peakBytes, besideTorchBytes }: Profile): number {
  return (
    (model.extra['supposed'] === true ? MORE_SUPPOSED : MORE.weights) * weightsBytes +
    MORE.pass * (peakBytes - weightsBytes) +
    MORE.outsideTorch * besideTorchBytes
  );
}

/** What a server takes outside torch's counters; nothing without one. */
interface OutsideTorch {
  readonly kernels: number;
  readonly communication: number;
  readonly graphs: number;
  readonly bytes: number;
}

export function outsideTorch(served: Served | null): OutsideTorch {
  const kernels = served?.kernelsBytes ?? 0;
  const communication = served?.communicationBytes ?? 0;
  const graphs = served?.room.graphsBytes ?? 0;
  return { kernels, communication, graphs, bytes: kernels + communication + graphs };
}

/** How unsure a server's whole part is, and its graphs, where they come on top of it. */
const WHOLE = 0.005;
const GRAPHS = 0.3;

/** A server's part of the device is what its share says; what comes on top of it is less sure. */
export function servedInterval(served: Served | null, usual: Bytes): Bytes {
  if (served?.isExact !== true) return usual;
  const { expected } = usual;
  const onTop = served.room.countsGraphs ? 0 : (served.room.graphsBytes ?? 0);
  const doubt = WHOLE * expected + GRAPHS * onTop;
  return { low: expected - doubt, expected, high: expected + doubt };
}

/** A cache that holds less than one request of the promised length decides, wherever the rest fits. */
export function servedVerdict(served: Served | null, verdict: Verdict): Verdict {
  if (served?.serves === 'no') return 'exceeds';
  if (served?.isPressed) return 'tight';
  return served?.serves === 'perhaps' && verdict === 'fits' ? 'tight' : verdict;
}

/** Phases after the cache was allocated, which happens after the profiling pass. */
export function withCache({ phases, room: { cacheBytes } }: Served): readonly PlayedPhase[] {
  return phases.map(({ phase, peak }) => ({
    phase,
    peak: phase === 'load' ? peak : plusCache(peak, cacheBytes),
  }));
}

function plusCache({ bytes, terms }: Peak, cacheBytes: number): Peak {
  return {
    bytes: bytes + cacheBytes,
    terms: terms.map((held, term) => (term === KV_CACHE ? held + cacheBytes : held)),
  };
}
