import type { Framework } from '../../../spec/runSpec';
import { isBefore, releaseOf } from '../../../spec/version';
import { profileOf, transformersOf } from '../profileOf';

/**
 * The release of transformers from which a family's attention is SDPA by default: `_supports_sdpa` in modeling_*.py of
 * the wheels from 4.35 to 4.53, and of 4.57.1 for Electra.
 */
export const SDPA_SINCE: Readonly<Record<string, string>> = {
  ...{ bart: '4.36', gpt_bigcode: '4.36', llama: '4.36', whisper: '4.36' },
  ...{ mistral: '4.37', mixtral: '4.37' },
  ...{ phi: '4.39', stablelm: '4.39' },
  ...{ bert: '4.41', deit: '4.41', hubert: '4.41', vit: '4.41', wav2vec2: '4.41' },
  ...{ gpt2: '4.42', gpt_neox: '4.42' },
  ...{ albert: '4.45', biogpt: '4.45', camembert: '4.45', dinov2: '4.45', m2m_100: '4.45', mbart: '4.45' },
  ...{ phi3: '4.45', roberta: '4.45', 'xlm-roberta': '4.45' },
  ...{ distilbert: '4.46', opt: '4.46' },
  ...{ beit: '4.48', 'data2vec-vision': '4.48' },
  ...{ marian: '4.53', pegasus: '4.53' },
  electra: '5.0',
};

/** Without this torch, transformers does not take SDPA by itself (4.36, utils/import_utils.py, is_torch_sdpa_available). */
const TORCH = '2.1.1';

/**
 * True if the model's class has no SDPA in the run's releases, where they are stated: its attention is eager by itself,
 * and to ask for SDPA is an error.
 */
export function lacksSdpa(framework: Framework, modelType: string): boolean {
  const since = SDPA_SINCE[modelType];
  if (since === undefined || framework.stated !== true) return false;
  if (profileOf(framework).models !== 'transformers') return false;
  const torch = releaseOf(framework, 'torch');
  return isBefore(since, transformersOf(framework)) || (torch !== null && isBefore(TORCH, torch));
}
