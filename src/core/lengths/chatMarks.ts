/** What a chat template writes around a message, by a token that only its models have. */
export interface ChatMarks {
  readonly name: string;
  /** In the vocabulary of the models that it is of. */
  readonly token: string;
  /** `{role}` and `{content}` stand for the message's. */
  readonly turn: string;
  /** The assistant's, where they are written otherwise. */
  readonly answer?: string;
  readonly roles?: Readonly<Record<string, string>>;
}

/**
 * Of `chat_template` in tokenizer_config.json: Qwen2.5, Llama 3.1, Gemma 2, Phi-3, Mistral v0.3, DeepSeek V2. Texts that a template
 * writes by itself (a date, its own system prompt) are not in here: they are 20 to 40 tokens a row.
 */
export const CHAT_MARKS: readonly ChatMarks[] = [
  { name: 'ChatML', token: '<|im_start|>', turn: '<|im_start|>{role}\n{content}<|im_end|>\n' },
  {
    name: 'Llama 3',
    token: '<|start_header_id|>',
    turn: '<|start_header_id|>{role}<|end_header_id|>\n\n{content}<|eot_id|>',
  },
  {
    name: 'Gemma',
    token: '<start_of_turn>',
    turn: '<start_of_turn>{role}\n{content}<end_of_turn>\n',
    roles: { assistant: 'model' },
  },
  { name: 'Phi-3', token: '<|end|>', turn: '<|{role}|>\n{content}<|end|>\n' },
  { name: 'Mistral', token: '[INST]', turn: '[INST]{content}[/INST]', answer: '{content}</s>' },
  {
    name: 'DeepSeek',
    token: '<｜end▁of▁sentence｜>',
    turn: 'User: {content}\n\n',
    answer: 'Assistant: {content}<｜end▁of▁sentence｜>',
  },
];

/** What is taken where nothing tells the template: as long as most of them. */
export const PLAIN_MARKS: ChatMarks = { name: 'role names', token: '', turn: '{role}\n{content}\n\n' };
