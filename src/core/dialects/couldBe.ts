import { sniffKeys } from '../yaml/sniff';
import packed from './all.signatures';
import { bestScanScore, unpacked } from './engine/scan';
import { mentions } from './engine/signature';
import { looksLikePythonConfig } from './engine/pythonConfigs';
import { CELL } from '../text/cells';
import { isProgram } from '../text/paths';
import { STARTS } from './command/programs';
import { isScript } from './envelopes/batchScript';
import { isCarrier, kindOf } from './envelopes/carrier';
import { couldBeGeneric, couldInherit } from './generic/sniff';

/*
 * What the editor loads for every file that could be a config: the signatures alone, without what dialects read.
 */

const signatures = packed.signatures.map(unpacked);
const keys = packed.keys.split(' ');
const numbers: ReadonlyMap<string, number> = new Map(keys.map((key, number) => [key, number]));

/**
 * Scans the text's keys without parsing: false if no dialect can reach its minimum score with them. May return true
 * for other files, but never false for a config.
 */
export function couldBeOurs(text: string, path = ''): boolean {
  if (isScript(text, path)) return true;
  const seen = Array<boolean>(keys.length).fill(false);
  for (const key of sniffKeys(text, numbers)) seen[numbers.get(key) ?? 0] = true;
  return signatures.some(
    signature => bestScanScore(signature, seen) >= signature.least && mentions(signature, text),
  );
}

/**
 * Checks the text without parsing: false if neither a dialect nor a reading by vocabulary is possible, and for a
 * program if it makes no call that is a run.
 */
export function couldBeRead(text: string, path = ''): boolean {
  if (isProgram(path)) return couldBeProgram(text) || mayHaveCommands(text, path);
  // The words of a command are strings of their own in JSON and Dockerfiles; `@` silences one in a recipe.
  if (isCarrier(path)) {
    if (kindOf(path) === 'modelfile') return /^[ \t]*FROM[ \t]/im.test(text);
    const kind = kindOf(path);
    if (kind === 'tasks' || kind === 'launch' || (kind !== 'scripts' && SERVES.test(text))) return true;
    return STARTS.test(text.replaceAll('@', ' ')) || (kind === 'markdown' && couldBeProgram(text));
  }
  return (couldBeOurs(text, path) || couldBeGeneric(text) || couldInherit(text)) && !isSpecification(text);
}

/** True for a notebook, as JSON or as joined cells, with lines of a shell that may start a run. */
export const mayHaveCommands = (text: string, path: string): boolean =>
  (path.endsWith('.ipynb') || text.startsWith(CELL)) && NOTEBOOK_COMMAND.test(text);

const NOTEBOOK_COMMAND =
  /["\n][ \t]{0,40}(?:!|%%(?:ba)?sh)[^"\n]{0,300}(?:python|torchrun|accelerate|deepspeed|train|tune|sft|serve|vllm|llama|yolo)/;

/** Images and programs that serve models, as units and Dockerfiles have them. */
const SERVES = /vllm|sglang|llama|lmdeploy|trtllm|text-generation|text-embeddings/;

const words = packed.calls.split(' ').map(word => word.split(':'));
/** The calls of each module, as they are written. */
const calls = [...new Set(words.map(([module = '']) => module))].map(
  module => [module, words.flatMap(([of, name = '']) => (of === module ? [`${name}(`] : []))] as const,
);

/** A program that starts another process. */
const PROCESSES = /\bsubprocess\b|\bos\.(?:system|popen|exec|spawn)|\b(?:command|cmd|entrypoint)\s{0,4}=/;

/** Launchers and scripts that train, as a program starts them: `["accelerate", "launch", "train.py", …]`. */
const LAUNCHES = /\b(?:accelerate|torchrun|deepspeed)["' ]|\b\w{0,40}(?:train|tune)\w{0,40}\.py\b/;

/** A program that hands a job to SageMaker. */
const couldSubmit = (text: string): boolean =>
  text.includes('sagemaker') && text.includes('hyperparameters') && text.includes('entry_point');

/** A loop of one's own over batches. */
const couldLoop = (text: string): boolean =>
  text.includes('.backward(') && text.includes('.step(') && /batch/i.test(text);

/** A program that starts something, and calls what trains: its loop or its trainer may be in another file. */
const couldTrain = (text: string): boolean =>
  STARTS_TRAINING.test(text) && (MAIN.test(text) || (text.startsWith('{') && /\btorch\b/.test(text)));

const STARTS_TRAINING =
  /[._ \t"](?:run_|start_|do_)?(?:train|fit|learn|fine_?tune)(?!er)\w{0,30}\(|trainer(?:\([^()\n]{0,80}\))?\.(?:run|start)\(|\.optimize_parameters\(/i;
const MAIN = /__main__|^(?:main|[\w.]{0,40}(?:train|fit)(?!er)\w{0,30})\(/m;

/** True for a Python program or a notebook that may make a call that is a run. */
export const couldBeProgram = (text: string): boolean =>
  couldLoop(text) ||
  couldTrain(text) ||
  (PROCESSES.test(text) && (SERVES.test(text) || LAUNCHES.test(text))) ||
  couldSubmit(text) ||
  looksLikePythonConfig(text) ||
  calls.some(([module, names]) => text.includes(module) && names.some(name => text.includes(name)));

const SPECIFICATION = /^["']?(?:openapi|swagger)["']?[ \t]*:/m;

/**
 * OpenAPI-like specifications are long and contain words for everything. With several documents, another one may be
 * a config.
 */
const isSpecification = (text: string): boolean =>
  SPECIFICATION.test(text) && !text.trimStart().includes('\n---');
