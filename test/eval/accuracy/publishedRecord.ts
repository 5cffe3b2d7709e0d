/** A line of `memory/published.jsonl`. */
export interface PublishedRecord {
  readonly id: string;
  readonly source_title: string;
  readonly source_url_or_repo_path: string;
  readonly task: string;
  readonly framework: string;
  readonly model: string;
  readonly precision: string;
  readonly quantization: string | null;
  readonly optimizer: string | null;
  readonly micro_batch_size: number | null;
  readonly seq_len: number | null;
  readonly seq_layout: string | null;
  readonly assumptions?: readonly string[];
  readonly grad_accum: number | null;
  readonly gradient_checkpointing: boolean | string;
  readonly attention_impl: string | null;
  readonly lora: PublishedLora | null;
  readonly parallelism: Readonly<Record<string, unknown>> | null;
  readonly offload: string;
  readonly gpu_name: string;
  readonly completeness: 'A' | 'B' | 'C';
  readonly scope: string;
  readonly measured_gib_best: number;
  /** It says G or GB, which may mean 10⁹ or 2³⁰ bytes: read as the latter. */
  readonly unit_ambiguous?: boolean;
  readonly metric?: string;
  readonly metric_class: string;
  readonly group: string;
  /** The source's own words. */
  readonly quote?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface PublishedLora {
  readonly r?: number;
  readonly alpha?: number;
  readonly dropout?: number;
  readonly targets?: readonly string[] | string | null;
  readonly modules_to_save?: readonly string[] | null;
  readonly method?: string;
  readonly type?: string;
  readonly use_dora?: boolean;
  readonly trainable_params?: number;
}

/** Keys of the YAML that a record was taken from, except those with their own fields. */
export function flagsOf(extra: PublishedRecord['extra']): Readonly<Record<string, unknown>> {
  const flags = extra?.['yaml_flags'];
  return typeof flags === 'object' && flags !== null ? (flags as Readonly<Record<string, unknown>>) : {};
}
