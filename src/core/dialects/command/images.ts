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
  { name: /(?:^|\/)ollama$/, library: 'ollama' },
];

/** `v0.8.5.post1`, `0.6.3-cu121`, `cpu-1.5`, `turing-1.5.0`: the release in a tag. */
const TAG = /(?:^|[-_])v?(\d{1,3}\.\d{1,3}(?:\.\d{1,4})?(?:\.?post\d{1,2}|rc\d{1,2})?)(?=$|[-_.+])/;

/** The release that an image's tag names; null: another image, `latest`, a digest alone. */
export function releaseOfImage(
  image: string,
): { readonly library: string; readonly release: string; readonly from: string } | null {
  const [named = ''] = image.trim().split('@');
  const colon = named.lastIndexOf(':');
  if (colon < 0 || named.includes('/', colon)) return null;
  const [repository, tag] = [named.slice(0, colon), named.slice(colon + 1)];
  const known = IMAGES.find(({ name }) => name.test(repository));
  const release = TAG.exec(tag)?.[1];
  return known && release !== undefined ? { library: known.library, release, from: `image ${named}` } : null;
}
