import type { Quantity } from '../../spec/quantity';
import type { Launched } from '../../spec/runSpec';
import { CUDA } from './nodes';
import type { EnvironmentEntry, Job } from './job';
import type { Command, Word } from './word';

/** What a container engine is told to start. */
export interface Container {
  readonly image: string;
  /** Words behind the image: a command, or arguments of the image's own program. */
  readonly args: Command;
  readonly launched: Launched;
}

const RUNS = /(?:^|[/ ])(?:docker|podman|nerdctl)(?: container)? (?:run|create)(?= |$)/;

const startOf = (command: Command): number =>
  command.findIndex(({ text }) => text === 'run' || text === 'create') + 1;

/** Options whose values can look like an image. */
const TAKES_NAME =
  /^(?:--(?:name|hostname|network|net|network-alias|label|env|volume|workdir|user|entrypoint)|-[hlevwu])$/;

/** `docker run … IMAGE ARGS` of an image that someone knows; null for any other command. */
export function containerOf(command: Command, isKnown: (image: string) => boolean): Container | null {
  const line = command.map(({ text }) => text).join(' ');
  if (!RUNS.test(line)) return null;
  const start = startOf(command);
  const at = command.findIndex(
    ({ text }, i) =>
      i >= start && !text.startsWith('-') && !TAKES_NAME.test(command[i - 1]?.text ?? '') && isKnown(text),
  );
  const image = command[at];
  if (!image) return null;
  return { image: image.text, args: command.slice(at + 1), launched: gpusOf(command.slice(start, at)) };
}

/** `docker run … --entrypoint PROGRAM IMAGE ARGS`: what starts instead of the image's own program; null: nothing does. */
export function entryOf(command: Command): { readonly command: Command; readonly launched: Launched } | null {
  const line = command.map(({ text }) => text).join(' ');
  if (!RUNS.test(line)) return null;
  const options = command.slice(command.findIndex(({ text }) => text === 'run') + 1);
  const at = options.findIndex(({ text }, i) => !text.startsWith('-') && !takesValue(options[i - 1]?.text));
  const named = options.slice(0, at).findIndex(({ text }) => /^--entrypoint(?:=|$)/.test(text));
  const option = options[named];
  if (!option) return null;
  const equals = option.text.indexOf('=');
  const word = equals < 0 ? options[named + 1] : { ...option, text: option.text.slice(equals + 1) };
  if (!word || word.text === '') return null;
  return { command: [word, ...options.slice(at + 1)], launched: gpusOf(options.slice(0, at)) };
}

/** Whether an option's value is the next word (docs.docker.com, docker container run). */
const takesValue = (option = ''): boolean =>
  option.startsWith('-') && !option.includes('=') && !SWITCHES.test(option);

const SWITCHES =
  /^(?:--(?:rm|detach|interactive|tty|privileged|init|read-only|no-healthcheck|oom-kill-disable|publish-all|quiet)|-[ditPq]{1,5})$/;

/** The GPUs and variables that a container engine is told to give, whatever the image. */
export function containerOptions(command: Command): Pick<Job, 'launched' | 'environment'> {
  const line = command.map(({ text }) => text).join(' ');
  if (!RUNS.test(line)) return { launched: {}, environment: [] };
  const options = command.slice(startOf(command));
  const environment = options.flatMap((word, i) => {
    if (/^(?:-e|--env)$/.test(options[i - 1]?.text ?? '')) return variableIn(word);
    return word.text.startsWith(WITH_VALUE) ? variableIn(after(word, WITH_VALUE.length)) : [];
  });
  return { launched: gpusOf(options), environment };
}

const WITH_VALUE = '--env=';

/** A word without its first characters. */
const after = (word: Word, length: number): Word => ({
  ...word,
  text: word.text.slice(length),
  span: { ...word.span, start: word.span.start + length },
});

/** `NAME=value`; a name alone comes from the caller's environment. */
function variableIn(word: Word): EnvironmentEntry[] {
  const equals = word.text.indexOf('=');
  if (equals < 1) return [];
  const name = word.text.slice(0, equals);
  const { start, end } = word.span;
  // Quotes inside make the text shorter than its place.
  const from = end - start === word.text.length ? start + equals + 1 : start;
  const value = { ...word, text: word.text.slice(equals + 1), span: { start: from, end } };
  return [{ name, node: null, word: value, from: [name], keySpan: { start, end: start + name.length } }];
}

/** `--gpus 2`, `--gpus device=0,1`; `all` leaves open how many there are (docs.docker.com, docker container run). */
function gpusOf(options: Command): Launched {
  const at = options.findIndex(({ text }) => /^--gpus(?:=|$)/.test(text));
  const word = options[at];
  if (!word) return {};
  const value = word.text.includes('=') ? word.text.slice('--gpus='.length) : (options[at + 1]?.text ?? '');
  const plain = value.replaceAll(/["']/g, '');
  const named = /^device=([\w,-]+)$/.exec(plain)?.[1]?.split(',').length;
  const count = named ?? (/^[1-9]\d*$/.test(plain) ? Number(plain) : null);
  if (count === null) return { accelerator: CUDA };
  const devices: Quantity<number> = {
    value: count,
    origin: { kind: 'derived', from: ['--gpus'], formula: `the container sees ${count}` },
    unit: 'GPUs',
  };
  return { devices, accelerator: CUDA };
}
