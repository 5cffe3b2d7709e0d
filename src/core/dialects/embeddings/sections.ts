/** Names of the embedding model's section; a reranker only counts if nothing embeds. */
export const SECTIONS = [
  'embeddings',
  'embedding',
  'embedder',
  'sentence_transformer',
  'sentence_transformers',
  'encoder',
  'vectorizer',
  'reranker',
] as const;

/** Names of local models: `org/name`, well-known families, folders; not the names of providers. */
export const LOCAL = String.raw`^(?!(?:openai|azure|cohere|voyage|bedrock|vertex_ai|gemini|ollama|litellm|amazon|text-embedding|embed-)\b)(?:[\w.-]+/[\w.-]+$|(?:all|bge|e5|gte|jina|nomic|multilingual|paraphrase|msmarco|multi-qa|sentence|mxbai|distiluse|instructor)-[\w.-]+$|(?:~|\.{1,2})?/[\w./-]+$)`;
