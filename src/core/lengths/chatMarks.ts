/** The text that a chat template writes around a message, with a token that only its models have. */
export interface ChatMarks {
  readonly name: string;
  /** A token in the vocabulary of these models only. */
  readonly token: string;
  /** `{role}` and `{content}` are replaced by the message's. */
  readonly turn: string;
  /** The assistant's turn, if it differs. */
  readonly answer?: string;
  readonly roles?: Readonly<Record<string, string>>;
}

/**
 * From `chat_template` in tokenizer_config.json: Qwen2.5, Llama 3.1, Gemma 2, Phi-3, Mistral v0.3, DeepSeek V2.
 * Excludes texts that a template adds on its own (a date, a system prompt): 20 to 40 tokens per row.
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

/** The default if the template is unknown: about as long as most. */
export const PLAIN_MARKS: ChatMarks = { name: 'role names', token: '', turn: '{role}\n{content}\n\n' };
