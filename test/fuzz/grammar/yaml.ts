import type { Dice } from '../dice';
import { key, number, word } from './words';

/** A YAML document by the grammar: blocks and flows, anchors, merges, tags, several documents. */
export const yamlText = (dice: Dice): string =>
  dice.chance(0.1)
    ? bomb(dice)
    : new Yaml(dice).text() + (dice.chance(0.05) ? `\n---\n${new Yaml(dice).text()}` : '');

class Yaml {
  private readonly anchors: string[] = [];

  constructor(private readonly dice: Dice) {}

  text(): string {
    const start = this.dice.chance(0.05) ? '%YAML 1.2\n---\n' : '';
    return start + this.map(0, 4);
  }

  private map(indent: number, depth: number): string {
    const count = this.dice.chance(0.03) ? this.dice.size(3000) : 1 + this.dice.below(10);
    const pad = ' '.repeat(indent);
    return Array.from({ length: count }, () => `${pad}${this.entry(indent, depth)}`).join('\n');
  }

  private entry(indent: number, depth: number): string {
    const { dice } = this;
    if (dice.chance(0.05) && this.anchors.length > 0) return `<<: *${dice.pick(this.anchors)}`;
    const name = dice.chance(0.1) ? JSON.stringify(word(dice)) : key(dice);
    return `${name}: ${this.value(indent, depth)}`;
  }

  private value(indent: number, depth: number): string {
    const { dice } = this;
    const kind = dice.below(depth > 0 ? 16 : 10);
    if (kind < 3) return number(dice);
    if (kind < 7) return this.scalar(indent);
    if (kind === 7) return this.anchors.length > 0 ? `*${dice.pick(this.anchors)}` : '~';
    if (kind < 10) return this.flow(depth);
    const anchor = dice.chance(0.2) ? `&${this.anchor()} ` : '';
    if (kind < 14) return `${anchor}\n${this.map(indent + 2, depth - 1)}`;
    const pad = ' '.repeat(indent + 2);
    const items = dice.some(1, dice.size(60), () => `${pad}- ${this.value(indent + 4, depth - 2)}`);
    return `${anchor}\n${items.join('\n')}`;
  }

  private scalar(indent: number): string {
    const { dice } = this;
    const text = word(dice);
    const kind = dice.below(6);
    if (kind < 2) return JSON.stringify(text);
    if (kind === 2) return `'${text.replaceAll("'", "''")}'`;
    if (kind === 3) {
      return `${dice.pick(['!!str', '!!python/object/apply:os.system', '!x', '!!binary', '!!float'])} ${text}`;
    }
    if (kind === 4) {
      const pad = ' '.repeat(indent + 2);
      return `${dice.pick(['|', '>', '|-', '>+', '|2'])}\n${text
        .split('\n')
        .map(line => pad + line)
        .join('\n')}`;
    }
    return text;
  }

  private flow(depth: number): string {
    const { dice } = this;
    if (dice.chance(0.03)) return dice.pick(['[', '{', '[{', '{a: ']).repeat(dice.size(2000));
    const items = dice.some(0, dice.size(40), () => JSON.stringify(word(dice)));
    return depth > 0 && dice.chance(0.4)
      ? `{${items.map(item => `${item}: ${number(dice)}`).join(', ')}}`
      : `[${items.join(', ')}]`;
  }

  private anchor(): string {
    const name = `a${this.anchors.length}`;
    this.anchors.push(name);
    return name;
  }
}

/** Few characters that stand for many values: aliases of aliases, merges of merges. */
function bomb(dice: Dice): string {
  const width = 2 + dice.below(9);
  const levels = 2 + dice.below(12);
  const form = dice.below(3);
  const lines = ['base_model: x', 'micro_batch_size: 1', 'adapter: lora', 'a0: &a0 {k: v}'];
  for (let level = 1; level <= levels; level++) {
    const before = `*a${level - 1}`;
    const parts = Array.from({ length: width }, (_, i) =>
      form === 0 ? before : `k${level}_${i}: ${before}`,
    );
    const merged =
      form === 2
        ? `<<: [${Array.from({ length: width }, () => before).join(', ')}], x${level}: 1`
        : parts.join(', ');
    lines.push(
      form === 0 ? `a${level}: &a${level} [${parts.join(', ')}]` : `a${level}: &a${level} {${merged}}`,
    );
  }
  return [...lines, `${key(dice)}: *a${levels}`, `datasets: *a${levels}`].join('\n');
}
