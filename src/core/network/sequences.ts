import { layerOf, layers } from './layers';
import type { MakeLayer } from './layers';
import type { Machine } from './machine';
import { elementwise, normed, product } from './tensors';
import { tensorIn } from './torchFunction';
import type { Args, Tensor, Value } from './values';
import { Dictionary, Instance, isTensor, raise, Reader } from './values';
import { attentionWork, linearWork, recurrentWork } from './work';

/** Gates of a recurrent cell, and tensors of the hidden size per step that cuDNN keeps in its reserve space. */
const CELLS: Readonly<Record<string, { readonly gates: number; readonly kept: number }>> = {
  LSTM: { gates: 4, kept: 6 },
  GRU: { gates: 3, kept: 5 },
  RNN: { gates: 1, kept: 1 },
};

const RECURRENT = [
  'input_size',
  'hidden_size',
  'num_layers',
  'bias',
  'batch_first',
  'dropout',
  'bidirectional',
];

const recurrent =
  (kind: string): MakeLayer =>
  ({ trace }, args) => {
    const reader = new Reader(args, RECURRENT);
    const [inputs, hidden] = [reader.number('input_size'), reader.number('hidden_size')];
    const [layerCount, ways] = [reader.number('num_layers', 1), reader.flag('bidirectional', false) ? 2 : 1];
    const { gates, kept } = CELLS[kind] ?? { gates: 1, kept: 1 };
    const parameters: Tensor[] = [];
    for (let layer = 0; layer < layerCount; layer++) {
      for (let way = 0; way < ways; way++) {
        const width = layer === 0 ? inputs : hidden * ways;
        parameters.push(trace.parameter([gates * hidden, width]), trace.parameter([gates * hidden, hidden]));
        if (reader.flag('bias', true)) {
          parameters.push(trace.parameter([gates * hidden]), trace.parameter([gates * hidden]));
        }
      }
    }
    const isFirst = reader.flag('batch_first', false);
    const run = (given: Args): Value => {
      const x = tensorIn(given);
      if (x.shape.at(-1) !== inputs) raise('a recurrent layer of another size');
      const lead = x.shape.slice(0, -1);
      trace.keep(x, 'low');
      const steps = (isFirst ? lead.at(-1) : lead[0]) ?? 1;
      for (let at = 0; at < layerCount * ways; at++) {
        const width = at < ways ? inputs : hidden * ways;
        const input = { ...x, shape: [...lead, width], grad: at >= ways || x.grad };
        trace.compute(recurrentWork(input, steps, hidden, gates), [input, ...parameters.slice(0, 1)]);
      }
      const weights = parameters.slice(0, 1);
      const reserve = trace.result([...lead, hidden * ways * layerCount * kept], weights, true);
      trace.keep(reserve);
      const output = trace.result([...lead, hidden * ways], weights, true);
      trace.keep(output);
      const rows = (isFirst ? lead[0] : lead.at(-1)) ?? 1;
      const state = trace.result([layerCount * ways, rows, hidden], weights, true);
      return [output, kind === 'LSTM' ? [state, state] : state];
    };
    return layerOf(kind, parameters, run, { hidden_size: hidden, input_size: inputs });
  };

const ATTENTION = [
  'embed_dim',
  'num_heads',
  'dropout',
  'bias',
  'add_bias_kv',
  'add_zero_attn',
  'kdim',
  'vdim',
  'batch_first',
];

/** torch.nn.MultiheadAttention: with weights of the attention, unless they are not asked for. */
const multihead: MakeLayer = ({ trace }, args) => {
  const reader = new Reader(args, ATTENTION);
  const [width, heads] = [reader.number('embed_dim'), reader.number('num_heads')];
  const weights = [trace.parameter([3 * width, width]), trace.parameter([width, width])];
  const bias = reader.flag('bias', true) ? [trace.parameter([3 * width]), trace.parameter([width])] : [];
  const isFirst = reader.flag('batch_first', false);
  const run = (given: Args): Value => {
    const inputs = new Reader(given, ['query', 'key', 'value']);
    const [q, k] = [inputs.get('query'), inputs.get('key')];
    if (!isTensor(q) || !isTensor(k)) return raise('a tensor is not known');
    if (q.shape.at(-1) !== width) raise('attention of another size');
    const asked = inputs.flag('need_weights', true);
    return attended(trace, { q, k, weights, heads, isFirst, asked });
  };
  return layerOf('MultiheadAttention', [...weights, ...bias], run, { embed_dim: width, num_heads: heads });
};

interface Attended {
  readonly q: Tensor;
  readonly k: Tensor;
  readonly weights: readonly Tensor[];
  readonly heads: number;
  readonly isFirst: boolean;
  readonly asked: boolean;
}

function attended(trace: Machine['trace'], { q, k, weights, heads, isFirst, asked }: Attended): Value {
  const [inner, outer] = weights;
  if (!inner || !outer) return null;
  const width = q.shape.at(-1) ?? 1;
  const projected = [q, k, k].map(x => product(trace, [x, inner], x.shape, linearWork(x, width)));
  const [batch = 1, rows = 1] = isFirst ? [q.shape[0], q.shape[1]] : [q.shape[1], q.shape[0]];
  const columns = (isFirst ? k.shape[1] : k.shape[0]) ?? 1;
  for (const one of projected) trace.keep(one, 'low');
  const scores = trace.result([batch, heads, rows, columns], projected, false);
  if (asked) trace.keep(scores);
  const seen = [batch, columns, width];
  trace.compute([attentionWork([batch, rows, width], seen, width)], projected);
  const mixed = trace.result(q.shape, projected, true);
  const result = product(trace, [mixed, outer], q.shape, linearWork(mixed, width));
  return [result, asked ? scores : null];
}

const LAYER = [
  'd_model',
  'nhead',
  'dim_feedforward',
  'dropout',
  'activation',
  'layer_norm_eps',
  'batch_first',
  'norm_first',
];

/** torch.nn.TransformerEncoderLayer, or the decoder's with attention to a memory. */
const transformerLayer =
  (attentions: number): MakeLayer =>
  (machine, args) => {
    const { trace } = machine;
    const reader = new Reader(args, LAYER);
    const width = reader.number('d_model');
    const inner = reader.number('dim_feedforward', 2048);
    const drops = reader.number('dropout', 0.1) > 0;
    const isFirst = reader.flag('batch_first', false);
    const head = {
      list: [width, reader.number('nhead')],
      named: new Map<string, Value>([['batch_first', isFirst]]),
    };
    const parts = Array.from({ length: attentions }, () => multihead(machine, head));
    const [up, down] = [sized(machine, width, inner), sized(machine, inner, width)];
    const norms = Array.from({ length: attentions + 1 }, () => [
      trace.parameter([width]),
      trace.parameter([width]),
    ]);
    const own = [...parts, up, down].flatMap(({ layer }) => layer?.parameters ?? []);
    const dropped = (x: Tensor): Tensor => {
      if (drops) trace.keep(trace.result(x.shape, [], null, 'bool'));
      return drops ? trace.result(x.shape, [x]) : x;
    };
    const run = (given: Args): Value => {
      const inputs = new Reader(given, attentions > 1 ? ['tgt', 'memory'] : ['src']);
      const memory = inputs.get('memory');
      let x = tensorIn(given, attentions > 1 ? 'tgt' : 'src');
      parts.forEach((part, at) => {
        const to = at > 0 && isTensor(memory) ? memory : x;
        const named = new Map<string, Value>([['need_weights', false]]);
        const found = part.layer?.run({ list: [x, to, to], named });
        const result = Array.isArray(found) ? found[0] : null;
        if (isTensor(result)) x = normed(trace, elementwise(trace, 'none', [x, dropped(result)]), true);
      });
      const hidden = up.layer?.run({ list: [x], named: new Map() });
      if (!isTensor(hidden)) return x;
      const active = dropped(elementwise(trace, 'result', [hidden]));
      const result = down.layer?.run({ list: [active], named: new Map() });
      return isTensor(result) ? normed(trace, elementwise(trace, 'none', [x, dropped(result)]), true) : x;
    };
    return layerOf('TransformerLayer', [...own, ...norms.flat()], run, {
      '#args': new Dictionary(new Map(args.named)),
    });
  };

const sized = (machine: Machine, inputs: number, outputs: number): Instance =>
  layers['Linear']?.(machine, { list: [inputs, outputs], named: new Map() }) ?? new Instance(null);

/** The same layer several times: copies with parameters of their own. */
const stack: MakeLayer = ({ trace }, args) => {
  const reader = new Reader(args, ['layer', 'num_layers', 'norm']);
  const layer = reader.get('encoder_layer', reader.get('decoder_layer', reader.get('layer')));
  const count = reader.number('num_layers', 1);
  const norm = reader.get('norm');
  if (!(layer instanceof Instance) || !layer.layer) return raise('a layer is not known');
  const inner = layer.layer;
  const { parameters } = inner;
  const copies = Array.from({ length: count - 1 }, () =>
    parameters.map(({ shape }) => trace.parameter(shape)),
  );
  const last = norm instanceof Instance ? norm.layer : null;
  const own = [...parameters, ...copies.flat(), ...(last?.parameters ?? [])];
  return layerOf('Transformer', own, given => {
    const [, ...rest] = given.list;
    let x: Value = tensorIn(given, given.named.has('tgt') ? 'tgt' : 'src');
    for (let at = 0; at < count; at++) x = inner.run({ list: [x, ...rest], named: given.named });
    return last ? last.run({ list: [x], named: new Map() }) : x;
  });
};

/** Layers over sequences, by class. */
export const sequenceLayers: Readonly<Record<string, MakeLayer>> = {
  LSTM: recurrent('LSTM'),
  GRU: recurrent('GRU'),
  RNN: recurrent('RNN'),
  MultiheadAttention: multihead,
  TransformerEncoderLayer: transformerLayer(1),
  TransformerDecoderLayer: transformerLayer(2),
  TransformerEncoder: stack,
  TransformerDecoder: stack,
};
