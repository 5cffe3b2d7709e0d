import type { Dialect } from './dialect';
import { count, number, word } from './engine/readers';
import { items, madeFor, onCuda, wholeModel } from './shared/vision';

/** LaTeX-OCR (pix2tex); sources are lines of lukas-blecher/LaTeX-OCR f0269de. */
export const latexOcr: Dialect = {
  id: 'latex-ocr',
  title: 'LaTeX-OCR',
  role: 'run',
  framework: { name: 'pix2tex', version: '0.1.4' },
  loader: 'pyyaml',
  signature: {
    strong: ['micro_batchsize', 'batchsize', 'gpu_devices'],
    medium: ['backbone_layers[]', 'decoder_args.*', 'encoder_structure', 'max_height', 'patch_size'],
    weak: ['dim', 'heads'],
    against: [],
    least: 6,
  },
  quantities: {
    ...wholeModel('pix2tex/train.py'),
    model: { keys: ['name'], read: word },
    task: madeFor('ocr', 'pix2tex/train.py'),
    globalBatchSize: { keys: ['batchsize'], read: count },
    // pix2tex/train.py L43-57: −1 is the whole batch; parts of it are added up.
    microBatchSize: run => {
      const part = run.read('micro_batchsize', number);
      if (part !== null && part > 0) return run.at('micro_batchsize', part);
      const total = run.count('batchsize');
      return total === null ? run.unknown('batchsize is not set.') : run.at('batchsize', total);
    },
    gradAccum: run => {
      const total = run.count('batchsize');
      const part = run.get('microBatchSize').value;
      if (total === null || part === null) return run.unknown('batchsize is not set.');
      return run.derived(Math.ceil(total / part), ['microBatchSize'], `batchsize ${total} ÷ ${part}`);
    },
    evalBatchSize: { keys: ['testbatchsize'], read: count },
    seqLen: { keys: ['max_seq_len'], read: count },
    imageSize: run => {
      const width = run.count('max_width');
      const height = run.count('max_height');
      if (width === null || height === null) return run.unknown('max_width or max_height is not set.');
      return run.at(['max_width', 'max_height'], [width, height]);
    },
    precision: run => run.byDefault('fp32', 'pix2tex/train.py: no autocast'),
    optimizer: { keys: ['optimizer'], read: word },
    devices: run => {
      const listed = items(run.value('gpu_devices'));
      if (listed) return run.at('gpu_devices', listed.length);
      return run.byDefault('auto', 'pix2tex/utils/utils.py: null is all devices');
    },
    accelerator: onCuda('pix2tex/utils/utils.py: cuda where there is one'),
  },
  writers: {
    microBatchSize: to => ({
      ok: true,
      writes: [{ key: 'micro_batchsize', value: to, near: ['batchsize'] }],
    }),
  },
  launch: [
    { argv: ['python', '-m', 'pix2tex.train', '--config', '{config}'], source: 'LaTeX-OCR README.md' },
  ],
  logs: [
    {
      pattern: String.raw`Loss: (?<loss>[\d.]+):\s+(?<percent>\d+)%`,
      fields: ['loss', 'percent'],
      example: 'Loss: 1.2345:   3%|▎         | 100/3500 [01:20<45:00,  1.26it/s]',
      source: 'pix2tex/train.py',
    },
  ],
  help: {
    batchsize: {
      text: 'Images of one step over all GPUs; `micro_batchsize` decides how many go through at once.',
    },
    micro_batchsize: { text: 'Images of one forward pass; -1 is the whole batch.', byDefault: '-1' },
    max_width: { text: 'Widest image, in pixels.' },
    max_height: { text: 'Highest image, in pixels.' },
    max_seq_len: { text: 'Longest formula, in tokens.' },
  },
};
