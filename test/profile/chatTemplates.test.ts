import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Turn } from '../../src/core/lengths/rowText';
import type { Rendered } from '../../src/lengths/jinja';
import { openRenderer } from '../../src/lengths/templates';
import { openCounter } from '../../src/lengths/tokens';
import { interpreter } from './python';

/** Conversations as transformers renders them, with the tokenizer of each folder. */
const SCRIPT = `
import json, sys
from transformers import AutoTokenizer
def made(tokenizer, messages):
    try:
        text = tokenizer.apply_chat_template(messages, tokenize=False)
    except Exception as error:
        return {"why": str(error)}
    return {"text": text, "tokens": len(tokenizer.apply_chat_template(messages, return_dict=False))}
conversations = json.load(sys.stdin)
tokenizers = [AutoTokenizer.from_pretrained(folder) for folder in sys.argv[1:]]
print(json.dumps([[made(tokenizer, messages) for messages in conversations] for tokenizer in tokenizers]))
`;

const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'user', 'assistant', 'system', 'hi', 'ho'];
const PLAIN = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
const TOKENIZER = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: ['[CLS]', '[SEP]'].map(content => ({ id: VOCABULARY.indexOf(content), content, ...PLAIN })),
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
  decoder: null,
  model: {
    type: 'WordLevel',
    vocab: Object.fromEntries(VOCABULARY.map((word, id) => [word, id])),
    unk_token: '[UNK]',
  },
};

const user = (content: string): Turn => ({ role: 'user', content });
const assistant = (content: string, more?: Turn['more']): Turn => ({
  role: 'assistant',
  content,
  ...(more && { more }),
});
const CALL = {
  type: 'function',
  function: { name: 'add', arguments: { a: 1, b: ['ü "x"', null, true, 1.5], c: { d: '<&>' } } },
};
const CONVERSATIONS: readonly (readonly Turn[])[] = [
  [user('Hi'), assistant('Ho')],
  [{ role: 'system', content: ' Be brief.\n' }, user('Hi\n'), assistant(' Ho ')],
  [user('Hi'), assistant('<think>\nHm\n</think>\n\nHo'), user('{{ more }}'), assistant('<think>x</think>Ho')],
  [user('Hi'), assistant('', { tool_calls: [CALL] }), { role: 'tool', content: '2' }, assistant('Ho')],
  [user('Hi'), assistant('Ho', { reasoning_content: '\nHm\n' })],
  [assistant('Ho'), user('')],
];

const TEMPLATES = ['chatml', 'dated', 'strict', 'thinking'];

function writeTokenizer(folder: string, template: string): void {
  mkdirSync(folder);
  const put = (file: string, content: object): void =>
    writeFileSync(join(folder, file), JSON.stringify(content));
  put('tokenizer.json', TOKENIZER);
  put('tokenizer_config.json', {
    tokenizer_class: 'PreTrainedTokenizerFast',
    bos_token: '[CLS]',
    eos_token: '[SEP]',
    chat_template: readFileSync(`test/fixtures/lengths/${template}.jinja`, 'utf8'),
  });
}

describe('chat templates', () => {
  const work = mkdtempSync(join(tmpdir(), 'headroom-templates-'));
  let made: readonly (readonly Made[])[] = [];

  // Importing transformers takes longer than all they render.
  before(() => {
    for (const name of TEMPLATES) writeTokenizer(join(work, name), name);
    made = byTransformers(TEMPLATES.map(name => join(work, name)));
  });
  after(() => rmSync(work, { recursive: true, force: true }));

  for (const [at, name] of TEMPLATES.entries()) {
    it(`${name}: texts and tokens match transformers`, async () => {
      const folder = join(work, name);
      const theirs = made[at] ?? [];
      const setup = { workerFile: join(process.cwd(), 'dist/templateWorker.js'), nowMs: Date.now() };
      const renderer = await openRenderer(join(folder, 'tokenizer.json'), setup);
      const opened = await openCounter(join(folder, 'tokenizer.json'), name);
      assert.ok(renderer && 'counter' in opened);
      const ours = await renderer.render(CONVERSATIONS);
      await renderer.stop();
      assert.ok(!('why' in ours));
      for (const [i, one] of theirs.entries()) {
        const own: Rendered | undefined = ours[i];
        assert.ok(own);
        assert.deepEqual('text' in own ? own.text : null, one.text ?? null, `conversation ${i}`);
        if (!('text' in own)) continue;
        assert.deepEqual(await opened.counter.count([own.text], true), [one.tokens], `conversation ${i}`);
      }
      assert.ok(theirs.some(({ text }) => text !== undefined));
    });
  }
});

interface Made {
  readonly text?: string;
  readonly tokens?: number;
}

function byTransformers(folders: readonly string[]): readonly (readonly Made[])[] {
  const messages = CONVERSATIONS.map(turns =>
    turns.map(({ role, content, more }) => ({ role, content, ...more })),
  );
  const { executable } = interpreter();
  const env = { ...process.env, HF_HUB_OFFLINE: '1', TRANSFORMERS_VERBOSITY: 'error' };
  const run = spawnSync(executable, ['-c', SCRIPT, ...folders], {
    input: JSON.stringify(messages),
    encoding: 'utf8',
    env,
  });
  assert.equal(run.status, 0, run.stderr);
  return JSON.parse(run.stdout) as readonly (readonly Made[])[];
}
