import type { StatedRelease } from '../../spec/runSpec';
import { pinOf } from './pins';
import type { Command } from './shell';

const INSTALLS = /(?:^|[/ ])(?:pip3?|uv pip|uv|conda|mamba|micromamba) (?:install|add)(?= )/;

/** The releases that a command installs: `pip install vllm==0.8.5`. */
export function installedBy(command: Command): readonly StatedRelease[] {
  const words = command.map(({ text }) => text);
  if (!INSTALLS.test(words.join(' '))) return [];
  return words.flatMap(word => {
    const pin = pinOf(word);
    return pin ? [{ library: pin[0], release: pin[1], from: `install of ${word}` }] : [];
  });
}
