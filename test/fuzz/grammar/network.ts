import type { Dice } from '../dice';
import { mutated, number } from './words';

const ATOMS = [
  'x',
  'n',
  'self',
  'self.a',
  'self.b',
  'y',
  'dims',
  'None',
  '[]',
  '{}',
  'torch',
  'F',
  '__proto__',
];
const LAYERS = [
  'nn.Linear(n, n)',
  'nn.Conv2d(3, n, 3)',
  'nn.Conv1d(n, n, 1 << 40)',
  'nn.LSTM(n, n, 9)',
  'nn.Embedding(10**9, n)',
  'nn.TransformerEncoder(nn.TransformerEncoderLayer(n, 2), 10**6)',
  'nn.BatchNorm2d(n)',
  'nn.Sequential(self.a, self.a)',
  'nn.ModuleList([self.a for i in range(99999)])',
  'nn.Parameter(torch.zeros(n, n))',
  'Net(n)',
  'self',
];
const LOOPS = ['range(n)', 'range(10**9)', 'range(99999)', 'dims', 'x', 'self.a', 'y', 'range(9)'];
const OPERATORS = ['+', '*', '-', '/', '//', '%', '**', '@', '<<', '==', 'in'];

/** A network of a project: lists and strings that double, layers in layers, calls of itself, endless loops. */
export function networkText(dice: Dice): string {
  const lines = [
    'import torch',
    'from torch import nn',
    'import torch.nn.functional as F',
    'class Net(nn.Module):',
    '  def __init__(self, n=8, dims=[8, 16], **kw):',
    '    super().__init__()',
    '    self.a = nn.Linear(n, n)',
    "    y = 'y'",
    ...dice.some(1, 8, () => statement(dice, 2)),
    '  def forward(self, x, n=4):',
    '    y = [x]',
    ...dice.some(1, 8, () => statement(dice, 2)),
    `    return ${expression(dice, 2)}`,
  ];
  const text = `${lines.join('\n')}\n`;
  return dice.chance(0.2) ? mutated(dice, text) : text;
}

/** A config that names it. */
export function networkConfig(dice: Dice): string {
  return [
    'model:',
    '  _target_: net.Net',
    `  n: ${number(dice)}`,
    'trainer:\n  max_epochs: 3\n  devices: 1',
    `data:\n  batch_size: ${number(dice)}\n  image_size: ${dice.pick(['8', '224', '10000000'])}`,
    'optimizer:\n  _target_: torch.optim.Adam\n  lr: 0.1\n',
  ].join('\n');
}

function statement(dice: Dice, depth: number): string {
  const pad = '  '.repeat(depth);
  const name = dice.pick(['x', 'y', 'self.a', 'self.b', 'n', 'dims']);
  const body = () => (depth > 5 ? `${pad}  pass` : statement(dice, depth + 1));
  return dice.pick<() => string>([
    () => `${pad}${name} = ${expression(dice, 2)}`,
    () => `${pad}${name} ${dice.pick(['+=', '*=', '-='])} ${expression(dice, 1)}`,
    () => `${pad}self.${dice.pick(['a', 'b'])} = ${dice.pick(LAYERS)}`,
    () => `${pad}for i in ${dice.pick(LOOPS)}:\n${body()}`,
    () => `${pad}while ${dice.pick(['True', 'n', expression(dice, 1)])}:\n${body()}`,
    () => `${pad}if ${expression(dice, 1)}:\n${body()}\n${pad}else:\n${body()}`,
    () => `${pad}y = y + y\n${pad}y += y`,
    () => `${pad}self.requires_grad_(False)`,
  ])();
}

function expression(dice: Dice, depth: number): string {
  if (depth === 0) return dice.pick(ATOMS);
  const inner = () => expression(dice, depth - 1);
  return dice.pick<() => string>([
    () => `${inner()} ${dice.pick(OPERATORS)} ${inner()}`,
    () => `${dice.pick(['self.a', 'self', 'Net', 'F.relu', 'torch.cat', 'len', 'list', 'sum'])}(${inner()})`,
    () => `[${inner()} for z in ${dice.pick(LOOPS)}]`,
    () => `${inner()}[${dice.pick(['0', '::1', ':n', '-1', '...', 'None', inner()])}]`,
    () => `x.${dice.pick(['view', 'repeat', 'chunk', 'unbind', 'reshape'])}(${number(dice)}, -1)`,
    () => dice.pick(LAYERS),
    () => `(lambda z: ${inner()})(${inner()})`,
  ])();
}
