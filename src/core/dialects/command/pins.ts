import type { Command } from './word';
import type { StatedRelease } from '../../spec/runSpec';
import { packageName } from '../../spec/version';

const INSTALLS =
  /(?:^|[/ ])(?:(?:pip3?|uv pip|uv|uv tool|conda|mamba|micromamba|pixi|poetry|pdm) (?:install|add)|uvx|uv run|uv tool run)(?= )/;

/** The releases that a command installs, or runs in: `pip install vllm==0.8.5`, `uvx --from vllm==0.8.5 vllm serve …`. */
export function installedBy(command: Command): readonly StatedRelease[] {
  const words = command.map(({ text }) => text);
  if (!INSTALLS.test(words.join(' '))) return [];
  return words.flatMap(word => {
    const pin = pinOf(word);
    return pin ? [{ library: pin[0], release: pin[1], from: `install of ${word}` }] : [];
  });
}

/** The releases that lines of a notebook install: `!pip install trl==0.11.4 "peft>=0.12,<0.13"`. */
export function installedIn(lines: readonly string[]): readonly StatedRelease[] {
  return lines.flatMap(line => {
    const words = line.match(/"[^"]{0,200}"|'[^']{0,200}'|[^\s"']{1,200}/g) ?? [];
    return words.flatMap(word => {
      const pin = pinOf(word.replaceAll(/["']/g, ''));
      return pin ? [{ library: pin[0], release: pin[1], from: `install of ${pin[0]} ${pin[1]}` }] : [];
    });
  });
}

/** The package that an image's name stands for, with what precedes the release in its tags. */
interface ImageOfPackage {
  readonly name: RegExp;
  readonly library: string;
}

const IMAGES: readonly ImageOfPackage[] = [
  { name: /(?:^|\/)vllm(?:-openai|-rocm|-openai-[a-z0-9]+|-serve)?$/, library: 'vllm' },
  { name: /(?:^|\/)lmsysorg\/sglang$|(?:^|\/)sglang$/, library: 'sglang' },
  { name: /text-generation-inference$/, library: 'tgi' },
  { name: /text-embeddings-inference$/, library: 'tei' },
  { name: /(?:^|\/)lmdeploy$/, library: 'lmdeploy' },
  // Unlike other images of NVIDIA, by releases: `nvcr.io/nvidia/tensorrt-llm/release:0.21.0`.
  { name: /(?:^|\/)tensorrt-llm\/release$/, library: 'tensorrt-llm' },
  { name: /(?:^|\/)ollama$/, library: 'ollama' },
  { name: /(?:^|\/)pytorch\/pytorch$/, library: 'torch' },
  { name: /(?:^|\/)transformers-pytorch-[a-z-]{1,20}$/, library: 'transformers' },
  { name: /(?:^|\/)axolotl(?:-cloud)?$/, library: 'axolotl' },
  { name: /(?:^|\/)llama-?factory$/, library: 'llamafactory' },
];

/** `v0.8.5.post1`, `0.6.3-cu121`, `cpu-1.5`, `rocm6.3.1_instinct_vllm0.8.3_20250410`: the release in a tag. */
const TAG =
  /(?:^|[-_])(?:vllm|v)?(\d{1,3}\.\d{1,3}(?:\.\d{1,4}){0,2}(?:\.?post\d{1,2}|rc\d{1,2})?)(?=$|[-_.+])/;

/** The release that an image's tag names; null: another image, `latest`, a digest alone. */
export function releaseOfImage(
  image: string,
): { readonly library: string; readonly release: string; readonly from: string } | null {
  const [named = ''] = image.trim().split('@');
  const colon = named.lastIndexOf(':');
  if (colon < 0 || named.includes('/', colon)) return null;
  const [repository, tag] = [named.slice(0, colon), named.slice(colon + 1)];
  // NVIDIA's own images count years and months (`nvcr.io/nvidia/vllm:25.09-py3`), LMCache's its own releases.
  if (/(?:^|\/)(?:nvidia|lmcache)\/[\w.-]{1,60}$/.test(repository)) return null;
  const known = IMAGES.find(({ name }) => name.test(repository));
  const release = TAG.exec(tag)?.[1];
  return known && release !== undefined ? { library: known.library, release, from: `image ${named}` } : null;
}

/** Releases of packages by their normalized names: `{ vllm: '0.8.5' }`. */
export type Pins = ReadonlyMap<string, string>;

/** A built package or a tag of its repository: `…/vllm-0.8.5+cu118-cp38-abi3-….whl`, `git+https://…/vllm.git@v0.8.5`. */
const ADDRESS =
  /\/([A-Za-z]\w{0,60})(?:-(\d[\w.]{0,40})[^/\s]{0,200}\.whl|(?:\.git)?@v?(\d{1,3}\.\d{1,3}[\w.]{0,40}))(?:[#?]|$)/;

/** Markers that hold on no machine with the GPUs of a server. */
const ELSEWHERE =
  /;\s{0,20}(?:sys_platform|platform_system|os_name)\s{0,20}==\s{0,20}["'](?:darwin|win32|Darwin|Windows|nt)["']\s{0,20}$/;

/**
 * A requirement with exactly one release (`==`), or of one minor release (`~=`, `^`, both bounds): the lowest that
 * satisfies it, or an inclusive upper bound. Extras do not matter, nor do markers but those of other systems. Conda
 * writes one `=`, Poetry and uvx `name@0.8.5`.
 */
const REQUIREMENT =
  /^([A-Za-z0-9][\w.-]{0,80})(?:\[[^\]]{0,200}\])?\s{0,20}(?:\(\s{0,20})?((?:[=~^<>!]=?=?|@(?=[\d^~=]))[^;#)]{0,200})/;

const CLAUSE = /^\s*@?(===?|=|~=|\^|>=|<=?|!=|>|(?<=@))\s*v?(\d[\w.]{0,40})/;

/** One requirement as pip, uv and conda write it: `vllm[audio]==0.8.5 ; python_version > "3.9"`. */
export function pinOf(requirement: string): readonly [name: string, release: string] | null {
  const plain = requirement.trim().slice(0, 1000);
  if (ELSEWHERE.test(plain)) return null;
  const [, built, released, tagged] = /^[#-]/.test(plain)
    ? []
    : (ADDRESS.exec(plain.split(/\s;/)[0] ?? '') ?? []);
  if (built !== undefined) return [packageName(built), cleaned(released ?? tagged ?? '')];
  const match = REQUIREMENT.exec(plain);
  const [, name = '', clauses = ''] = match ?? [];
  const release = match ? releaseIn(clauses) : null;
  return release === null ? null : [packageName(name), release];
}

/** The release that clauses leave: `==0.8.5`, `>=0.8.2,<0.9`, `^0.8.2`; null: more than one minor release. */
export function releaseIn(clauses: string): string | null {
  const parts = clauses.split(',').flatMap(part => {
    const found = CLAUSE.exec(part);
    return found ? [{ sign: found[1] ?? '', release: found[2] ?? '' }] : [];
  });
  const exact = parts.find(({ sign }) => /^(?:=|~=|\^|$)/.test(sign));
  if (exact) return cleaned(exact.release);
  const least = parts.find(({ sign }) => sign === '>=');
  const most = parts.find(({ sign }) => sign.startsWith('<'));
  if (!least || !most) return null;
  if (most.sign === '<') return isNextMinor(least.release, most.release) ? cleaned(least.release) : null;
  return isOneMinor(least.release, most.release) ? cleaned(most.release) : null;
}

/** Local versions (`+cu121`) and wildcards say nothing more. */
const cleaned = (release: string): string => release.replace(/(?:\.\*|\.)$/, '');

const isOneMinor = (least: string, most: string): boolean =>
  least.split('.', 2).join('.') === most.split('.', 2).join('.');

function isNextMinor(least: string, most: string): boolean {
  const [major = 0, minor = 0] = least.split('.').map(Number);
  const [nextMajor = 0, nextMinor = 0, patch = 0] = most.split('.').map(Number);
  return major === nextMajor && (nextMinor === minor + 1 ? patch === 0 : nextMinor === minor);
}

/** Adds requirements; the first that names a package wins. */
export function addPins(into: Map<string, string>, requirements: Iterable<string>): void {
  for (const requirement of requirements) {
    const pin = pinOf(requirement);
    if (pin && !into.has(pin[0])) into.set(pin[0], pin[1]);
  }
}
