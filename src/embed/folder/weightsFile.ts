import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EmbedError } from '../errors';

/** `fp32` is the file with the plain name; `int8` uses integer arithmetic, which is faster and less precise. */
export type Precision = 'fp32' | 'int8';

const PLAIN = ['onnx/model.onnx', 'model.onnx'];
const INT8 = /^model_(quantized|int8|qint8.*|quint8.*|uint8)\.onnx$/;
const OTHER = /^model_.*\.onnx$/;

/** The ONNX file of a model's folder. */
export function weightsFile(folder: string, precision: Precision, named: string | undefined): string {
  if (named !== undefined) {
    const path = join(folder, named);
    if (existsSync(path)) return path;
    throw new EmbedError('bad-model', `${path}: no such file. Check --onnx, relative to the model's folder.`);
  }
  return precision === 'int8' ? int8File(folder) : plainFile(folder);
}

function plainFile(folder: string): string {
  const plain = PLAIN.map(name => join(folder, name)).find(existsSync);
  if (plain !== undefined) return plain;
  const others = namesIn(folder, OTHER).filter(name => !INT8.test(name.split('/').at(-1) ?? ''));
  const [only] = others;
  if (only !== undefined && others.length === 1) return join(folder, only);
  const choice = others.length > 1 ? `; it has ${others.join(', ')}: name one with --onnx` : '';
  throw new EmbedError(
    'bad-model',
    `${folder}: there is no onnx/model.onnx or model.onnx${choice || ', and nothing else is run; export it with: optimum-cli export onnx --model NAME FOLDER'}.`,
  );
}

function int8File(folder: string): string {
  const [first] = namesIn(folder, INT8);
  if (first !== undefined) return join(folder, first);
  throw new EmbedError(
    'bad-model',
    `${folder}: no onnx/model_quantized.onnx for --precision int8; remove the option, or quantize the model first.`,
  );
}

function namesIn(folder: string, pattern: RegExp): readonly string[] {
  return ['onnx', '.'].flatMap(part => {
    const path = join(folder, part);
    if (!existsSync(path)) return [];
    const names = readdirSync(path).filter(name => pattern.test(name));
    return names.sort().map(name => (part === '.' ? name : `${part}/${name}`));
  });
}
