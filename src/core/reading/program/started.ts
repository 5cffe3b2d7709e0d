import type { Composition, Layer, NearbyFiles } from '../../dialects/engine/compose';
import type { Job } from '../../dialects/command/job';
import { runsOfJob } from '../../dialects/command/jobs';
import type { Located } from '../../text/located';
import { commands } from '../../dialects/command/shell';
import type { Command, Word } from '../../dialects/command/word';
import { withFixed } from '../../dialects/command/tree';
import { askedGpus, installedBy } from './platform';
import { submits, submittedIn } from './estimators';
import type { Submitted } from './estimators';
import type { Program } from '../../python/program';
import type { ProgramSource } from '../../python/source';
import type { Value } from '../../python/value';
import type { Span } from '../../text/span';

/*
 * Commands that a program starts as another process: `subprocess.Popen(["vllm", "serve", …])`. They are read as a
 * script's are, each word at its place in the program.
 */

/** Functions that start one, of a list of words or of a shell's text (docs.python.org: subprocess, os, asyncio). */
const STARTS =
  /^(?:subprocess\.(?:run|Popen|call|check_call|check_output|getoutput)|os\.(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?)|asyncio(?:\.subprocess)?\.create_subprocess_(?:exec|shell))$/;

/** A command, and the places of those of its words that are not written there as they are. */
export interface Started {
  readonly job: Job;
  readonly fixed: readonly Span[];
}

/** Whether a program may start another process. */
export const startsProcesses = (program: Program, { text }: ProgramSource): boolean =>
  program.calls(isStarting).length > 0 || HANDED.test(text) || submits(program);

const isStarting = (name: string): boolean =>
  /^(?:run|Popen|\w*call|\w*output|system|popen|exec\w+|spawn\w+|create_sub\w+)$/.test(name);

export function startedIn(program: Program, source: ProgramSource, opened: Layer): readonly Started[] {
  const releases = installedBy(program, source);
  const calls = program.calls(isStarting);
  const own = calls
    .filter(({ call }) => STARTS.test(call.name))
    .map(({ call: { args, span } }) => ({
      words: args.flatMap(({ name, value }) => (name === null || name === 'args' ? [value] : [])),
      span,
    }));
  const handed = HANDED.test(source.text)
    ? program
        .besides(() => true)
        .flatMap(({ args }) => args.filter(({ name }) => COMMAND.test(name ?? '')))
        .map(({ value }) => ({ words: [value], span: value.span }))
    : [];
  const started = [...own, ...handed].flatMap(({ words, span }): readonly Started[] => {
    const reading = new Reading(source);
    const launched = {
      ...askedGpus(program, span, opened, source),
      ...(releases.length > 0 && { releases }),
    };
    return reading.commandsOf(words).map(command => ({
      job: { name: '', image: '', commands: [command], environment: [], launched },
      fixed: reading.fixed,
    }));
  });
  return [...started, ...submittedIn(program, source, opened).map(job => asStarted(job, source))];
}

/** Names and values of such a job stand in dictionaries: nothing is written there. */
function asStarted({ words, launched }: Submitted, source: ProgramSource): Started {
  const reading = new Reading(source);
  const command = words.map(value => reading.word(value));
  return {
    job: { name: '', image: '', commands: [command], environment: [], launched },
    fixed: command.map(({ span }) => span),
  };
}

/** Arguments by which platforms get a command: `sandbox.exec(command="vllm serve …")`, `Task(run=…)`. */
const COMMAND = /^(?:command|cmd|entrypoint|run)$/;
const HANDED = /\b(?:command|cmd|entrypoint|run)\s{0,4}=/;

/** Text in quotes without escapes: it stands in the file as it is. */
const LITERAL = /^(["'])([^"'\\\n]*)\1$/;

class Reading {
  readonly fixed: Span[] = [];

  constructor(private readonly source: ProgramSource) {}

  /** One list of words, words as arguments of their own, or the text of a shell. */
  commandsOf(args: readonly Value[]): readonly Command[] {
    const list = args.map(wordsIn).find(words => words !== null);
    if (list) return [list.map(word => this.word(word))];
    const [first] = args;
    const text = first?.kind === 'scalar' && typeof first.value === 'string' ? first.value : null;
    if (!first || text === null) return [];
    if (args.length > 1 && !/\s/.test(text)) return [args.map(word => this.word(word))];
    return commands(this.located(first.span, text), new Map());
  }

  word(value: Value): Word {
    const written = this.source.text.slice(value.span.start, value.span.end);
    const known = value.kind === 'open' ? value.perhaps : value;
    const text = known?.kind === 'scalar' ? String(known.value) : written;
    const open = value.kind !== 'scalar';
    const { start, end } = value.span;
    const isLiteral = LITERAL.exec(written)?.[2] === text && !this.source.isJson;
    const span = this.source.inFile(isLiteral ? { start: start + 1, end: end - 1 } : { start, end });
    if (!isLiteral) this.fixed.push(span);
    return { text, span, open, inText: false };
  }

  private located(span: Span, text: string): Located {
    const isLiteral =
      LITERAL.exec(this.source.text.slice(span.start, span.end))?.[2] === text && !this.source.isJson;
    const whole = this.source.inFile(span);
    if (!isLiteral) this.fixed.push(whole);
    const at = Array.from({ length: text.length + 1 }, (_, i) =>
      isLiteral
        ? this.source.inFile({ start: span.start + 1 + i, end: span.start + 1 + i }).start
        : whole.start,
    );
    return { text, at };
  }
}

/** A list of words, also behind `" ".join(…)` and `shlex.join(…)`; null: it is none. */
function wordsIn(value: Value): readonly Value[] | null {
  if (value.kind === 'items') return value.items;
  if (value.kind !== 'call' || !/(?:^|\.)(?:join|split)$|^$/.test(value.call.name)) return null;
  const [first, ...others] = value.call.args;
  return first && others.length === 0 ? wordsIn(first.value) : null;
}

/** The runs of such commands; a word that is computed is known, and not changed in its place. */
export async function startedRuns(
  started: readonly Started[],
  opened: Layer,
  files: NearbyFiles,
): Promise<readonly Composition[]> {
  const all: Composition[] = [];
  for (const { job, fixed } of started) {
    const runs = await runsOfJob(job, opened, files);
    for (const run of runs.filter(({ dialect }) => dialect !== undefined)) {
      all.push(withFixed(run, fixed));
    }
  }
  return all.length > 1 ? all.map((run, i) => ({ ...run, name: `command ${i + 1}` })) : all;
}
