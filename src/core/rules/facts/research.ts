import { template } from '../../text/say';
import type { Facts } from '../fact';

const MMF = `model_config:
  pythia:
    model_data_dir: data
dataset_config:
  vqa2:
    return_features_info: true
optimizer:
  type: Adamax
training:
  batch_size: 512
  update_frequency: 1
  max_updates: 22000
`;

/** Pitfalls of MMF; sources are files of facebookresearch/mmf b0ffc7f. */
export const mmfFacts: Facts = {
  dialects: ['mmf'],
  facts: [
    {
      id: 'mmf-two-batches',
      severity: 'warning',
      summary: '`batch_size_per_device` takes the place of `batch_size`.',
      when: { stated: ['training.batch_size', 'training.batch_size_per_device'] },
      at: ['training.batch_size', 'training.batch_size_per_device'],
      message: template(
        '{training.batch_size} is ignored because of {training.batch_size_per_device}. The latter is multiplied by the number of GPUs. Keep one of them.',
      ),
      meaning: 'One counts all GPUs together, the other counts each GPU.',
      advice: 'Remove `training.batch_size`, or set `training.batch_size_per_device: null`.',
      source: 'mmf/utils/general.py L285-308: “This will override training.batch_size”',
      example: MMF.replace('batch_size: 512', 'batch_size: 512\n  batch_size_per_device: 32'),
      counterexample: MMF,
    },
  ],
};

const SWIN = `MODEL:
  TYPE: swin
  NAME: swin_tiny_patch4_window7_224
  DROP_PATH_RATE: 0.2
  SWIN:
    EMBED_DIM: 96
`;

/** Pitfalls of Swin Transformer and its forks; sources are files of microsoft/Swin-Transformer f82860b. */
export const swinFacts: Facts = {
  dialects: ['yacs-swin'],
  facts: [
    {
      id: 'swin-apex-level',
      severity: 'information',
      summary: '`AMP_OPT_LEVEL` is an Apex setting and no longer has an effect.',
      when: { stated: ['AMP_OPT_LEVEL'] },
      at: ['AMP_OPT_LEVEL'],
      message: template(
        '{AMP_OPT_LEVEL} was Apex’s level and is only warned about. AMP_ENABLE decides, and is on by default.',
      ),
      meaning: 'torch’s autocast replaced Apex.',
      advice: 'Remove it. For fp32, set `AMP_ENABLE: False`.',
      source: 'main.py: “Apex amp has been deprecated, please use pytorch amp instead!”',
      example: `${SWIN}AMP_OPT_LEVEL: O1\n`,
      counterexample: `${SWIN}AMP_ENABLE: True\n`,
    },
  ],
};

const LUDWIG = `model_type: llm
base_model: meta-llama/Llama-2-7b-hf
input_features:
  - name: prompt
    type: text
output_features:
  - name: answer
    type: text
quantization:
  bits: 4
adapter:
  type: lora
trainer:
  type: finetune
  batch_size: 1
backend:
  type: local
`;

/** Pitfalls of Ludwig; sources are files of ludwig-ai/ludwig 5d19f3e. */
export const ludwigFacts: Facts = {
  dialects: ['ludwig'],
  facts: [
    {
      id: 'ludwig-quantized-on-ray',
      severity: 'error',
      summary: 'Quantized models are trained by the local backend only.',
      when: { stated: ['quantization'], is: { 'backend.type': ['ray'], model_type: ['llm'] } },
      at: ['backend.type', 'quantization'],
      message: template(
        '{backend.type} is rejected with a quantized model: Ludwig raises a ConfigValidationError. Set the backend to local.',
      ),
      meaning: 'Ray workers can’t share bitsandbytes weights.',
      advice: 'Set `backend.type: local`. The quick fix does this.',
      set: { key: 'backend.type', to: 'local' },
      source: "ludwig/config_validation/checks.py: “LLM with quantization requires the 'local' backend”",
      example: LUDWIG.replace('type: local', 'type: ray'),
      counterexample: LUDWIG,
    },
  ],
};
