import { line } from './line';

/** Megatron-LM, Megatron-DeepSpeed, GPT-NeoX and NeMo on top of them. */
export const megatronForms = [
  line({
    start: String.raw`(?:samples/sec: (?<samplesPerSecond>{}) \| )?iteration\s+(?<step>{})/\s*(?<steps>{}) ?\|`,
    parts: {
      millisecondsPerStep: String.raw`elapsed time per iteration \(ms\):\s{1,8}{}`,
      secondsPerStep2: String.raw`elapsed time per iteration \(s\):\s{1,8}{}`,
      eta: String.raw`\beta: {t}`,
      secondsPerStep: String.raw`\biteration time: {} s\b`,
      samplesPerSecond2: String.raw`\bsamples(?:/sec| per second): {}`,
      tokensPerSecond: String.raw`\btokens/sec(?:ond)?(?:/gpu)?: {}`,
      learningRate: String.raw`learning rate: {}`,
      loss: String.raw`\| (?:lm[-_ ])?loss: {}`,
      gradNorm: String.raw`grad norm: {}`,
    },
    example:
      'samples/sec: 3.8 | iteration        4/   25000 | consumed samples: 4096 | elapsed time per iteration (ms): 270125.4 | elapsed time per iteration (s): 270.1 | iteration time: 270.125 s samples/sec: 3.8 | eta: 1:02:03 | tokens/sec: 812.1 | learning rate: 7.500000E-08 | global batch size:  1024 | lm loss: 2.120380E+00 | loss scale: 1.0 | grad norm: 14.218 |',
    source: 'Megatron-LM megatron/training/training.py training_log; GPT-NeoX megatron/logging.py; forks add the time left',
  }),
  line({
    start: String.raw`(?:\[Rank \d+\] \()?\bafter (?<step>{}) iterations\)? memory \(MB\) \| allocated: (?<allocated>{}) \| max allocated: (?<maxAllocated>{}) \| reserved: (?<reserved>{}) \| max reserved: (?<maxReserved>{})`,
    memory: {
      allocated: { what: 'allocated', unit: 'MiB' },
      maxAllocated: { what: 'max allocated', unit: 'MiB' },
      reserved: { what: 'reserved', unit: 'MiB' },
      maxReserved: { what: 'max reserved', unit: 'MiB' },
    },
    example:
      '[Rank 1] (after 1 iterations) memory (MB) | allocated: 12337.45 | max allocated: 19961.07 | reserved: 23288.0 | max reserved: 23288.0',
    source: 'Megatron-LM megatron/training/utils.py report_memory',
  }),
];
