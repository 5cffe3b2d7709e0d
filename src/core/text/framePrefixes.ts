/** Something in front of nearly all lines. */
export interface Frame {
  /** Sticky: what is in front of a line. */
  readonly finds: RegExp;
  /** The least share of lines that have it. */
  readonly share: number;
  /** Whether what was found in front of the lines can be a frame. */
  readonly fits?: (found: readonly string[]) => boolean;
}

/** Line numbers count up by one; blank lines between them may have lost theirs. */
const MOST_LEFT_OUT = 3;
/** From this many lines on, a repetition is no coincidence. */
const FEW = 3;

const isNext = (step: number): boolean => step >= 1 && step <= MOST_LEFT_OUT;

function countsUp(found: readonly string[]): boolean {
  const numbers = found.map(text => Number(/\d+/.exec(text)?.[0]));
  const steps = numbers.slice(1).map((number, i) => number - (numbers[i] ?? 0));
  const isStart = found.every(text => /\t$| [|│]$/.test(text)) || (numbers[0] === 1 && found[0] === '1:');
  const [first = 0] = numbers;
  // Tables count from zero.
  return first > 0 && (found.length >= FEW || isStart) && steps.every(isNext);
}

/** A name before a bar stands for a program, with its number: a table has a different word in each row. */
function areFewNames(found: readonly string[]): boolean {
  const names = new Set(found.map(text => text.trim()));
  return names.size <= found.length / FEW || [...names].every(name => /[-_]\d+\s*\|$/.test(name));
}

/** One line may itself tell of an error. */
const repeats = (found: readonly string[]): boolean =>
  found.length >= FEW || found.every(text => /info/i.test(text));

const DAY = String.raw`\d{4}[-/]\d\d[-/]\d\d`;
const TIME = String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`;
const ZONE = String.raw`(?:Z| ?[+-]\d\d:?\d\d| UTC)?`;

/** Times, in the forms of loggers, log shippers, the journal and the kernel. */
const TIMES = new RegExp(
  [
    String.raw`\[?${DAY}[T ]${TIME}${ZONE}\]?(?: ?[:-](?=\s))?(?=\s|$)`,
    String.raw`[A-Z][a-z]{2} [ \d]\d ${TIME} [\w.-]{1,64} [\w./@-]{1,64}(?:\[\d+\])?:(?=\s|$)`,
    String.raw`\[?${TIME}\]?(?: ?[:-](?=\s))?(?=\s|$)`,
    String.raw`\[ {0,9}\d+\.\d{3,9}\](?=\s|$)`,
    String.raw`\[?\d{10}(?:\.\d+)?\]?(?=\s|$)`,
    String.raw`[IWEF]\d{4} ${TIME} {1,8}\d+ [\w.-]{1,64}:\d+\](?=\s|$)`,
  ].join('|'),
  'y',
);

/** Levels and names of loggers. */
const LEVELS = new RegExp(
  [
    String.raw`(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL):[\w.]{1,64}:`,
    String.raw`[[(]?(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|TRACE|debug|info|warn|error)[\])]?(?: ?[:-](?=\s|$))?(?: \[[A-Za-z][\w.:/-]{0,63}\])?(?: [\w.]{1,64}:[\w.<>]{1,64}(?::\d+)? [-|])?(?=\s|$)`,
  ].join('|'),
  'y',
);

/** Ranks, actors and processes, as launchers write them. */
const RANKS = new RegExp(
  [
    String.raw`\[(?:default|rank|local_rank)?\d+\]:`,
    String.raw`\((?:[\w.]{1,64}(?: rank=\d+)?,? )?pid=\d+[^()\n]{0,80}\)`,
    String.raw`\[\d+,\d+\]<std(?:out|err)>:`,
    String.raw`\d{1,4}:(?=\s|$)`,
    String.raw`std(?:out|err) [FP](?=\s|$)`,
    String.raw`\[pod/[\w./-]{1,128}\](?=\s|$)`,
  ].join('|'),
  'y',
);

/** Frames from the outermost kind to the innermost; each is looked for again after one is taken away. */
export const frames: readonly Frame[] = [
  { finds: />/y, share: 0.9 },
  { finds: /\+/y, share: 0.95 },
  { finds: /\s{0,8}\d{1,6}(?:\t| ?[:|│]| (?= ))/y, share: 1, fits: countsUp },
  { finds: /[A-Za-z][\w.]{0,63}(?:[-_][\w.-]{1,63})? {1,24}\|(?=\s|$)/y, share: 0.95, fits: areFewNames },
  { finds: TIMES, share: 0.9 },
  { finds: LEVELS, share: 0.9, fits: repeats },
  { finds: RANKS, share: 0.9 },
  { finds: /(?:#|\/\/)(?=\s|$)/y, share: 1 },
];

/** A line in which someone started the program. */
export const prompt =
  /^\s{0,8}(?:\([\w.-]{1,32}\) ?)?(?:\[?[\w.-]{1,32}@[\w.-]{1,64}[: ][^\s$#%>]{0,80}\]?[$#%>]|[$%#❯➜]|PS [A-Z]:[^>\n]{0,80}>|[A-Z]:\\[^>\n]{0,80}>|In \[\d{1,5}\]: ?[!%]|>>>) ?!?(?:sudo )?(?:[\w./-]*(?:nvidia-smi|amd-smi|rocm-smi|xpu-smi|gpustat|nvitop|dcgmi|tegrastats|python3?|torchrun|accelerate|deepspeed|srun|sbatch|bash|kubectl|docker|ssh|watch|cat|curl|powermetrics|ioreg|nvtop|macmon|mactop)(?:\.exe)?)(?: .{0,400})?$/;
