import type { Dialect } from './dialect';
import { oneOf, word } from './engine/readers';
import type { Dtype } from '../spec/values';
import { modelConfigHelp } from './modelConfig/help';

const dtype = oneOf<Dtype>({
  float32: 'fp32',
  'torch.float32': 'fp32',
  float16: 'fp16',
  'torch.float16': 'fp16',
  bfloat16: 'bf16',
  'torch.bfloat16': 'bf16',
});

/**
 * A checkpoint's `config.json`, which a run names by its model: its keys say what they do to memory. Sources are files of
 * huggingface/transformers 5.23; what an estimate takes of it is read in core/models.
 */
export const modelConfig: Dialect = {
  id: 'model-config',
  title: 'Transformers model',
  role: 'part',
  framework: { name: 'transformers', version: '5.23.0' },
  loader: 'json',
  signature: {
    strong: ['transformers_version'],
    medium: ['model_type', 'architectures', 'hidden_size', 'num_hidden_layers', 'num_attention_heads'],
    weak: [
      'vocab_size',
      'torch_dtype',
      'dtype',
      'initializer_range',
      'max_position_embeddings',
      'bos_token_id',
    ],
    against: [
      'model_name_or_path',
      'base_model',
      'learning_rate',
      'train_batch_size',
      'per_device_train_batch_size',
    ],
    needs: ['model_type'],
    least: 8,
    mentions: String.raw`/"model_type"\s*:/`,
  },
  quantities: {
    model: { keys: ['_name_or_path'], read: word },
    loadDtype: { keys: ['dtype', 'torch_dtype'], read: dtype },
  },
  help: modelConfigHelp,
};
