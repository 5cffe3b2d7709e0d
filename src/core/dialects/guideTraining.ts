import type { Dialect } from './dialect';
import { stagesBeside } from './engine/stages';
import { count, countOrNone, number, word } from './engine/readers';
import { autocastByPrecision, lightningTrainer } from './shared/lightning';
import { lightningLogs } from './shared/lightningLogs';
import { guideTrainingHelp } from './guideTraining/help';

const CONFIG = 'naics-embedder utils/config.py';
const ENCODER = 'naics-embedder model/encoder.py';

const LENGTHS = ['data_loader.tokenization.max_length', 'data_loader.streaming.max_length'] as const;

const PADDING = 'naics-embedder data_loader/tokenization_cache.py: padding to max_length';

/**
 * The configs of the training-memory guide: a contrastive text encoder trained with Lightning, with curriculum
 * stages in files of their own. What no key says is said by the guide's program, lowmason/naics-embedder e418955.
 */
export const guideTraining: Dialect = {
  id: 'guide-training',
  title: 'Contrastive training',
  role: 'run',
  framework: {
    name: 'naics-embedder',
    version: 'e418955',
    libraries: { lightning: '2.5', transformers: '4.57' },
  },
  loader: 'omegaconf',
  signature: {
    strong: [
      'training.trainer.accumulate_grad_batches',
      'model.base_model_name',
      'n_negatives',
      'n_positives',
    ],
    medium: [
      'data_loader.batch_size',
      'data_loader.tokenization',
      'data_loader.streaming',
      'model.lora.r',
      'model.moe.num_experts',
      'training.trainer.devices',
      'training.trainer.precision',
      'anchor_level',
      'positive_level',
      'positive_relation',
      'negative_level',
    ],
    weak: ['data_loader.num_workers', 'loss.temperature', 'loss.curvature', 'curriculum'],
    // Files of the same project that generate data.
    against: ['output_parquet', 'input_parquet', 'stages'],
    least: 6,
  },
  roots: ['curriculum'],
  quantities: {
    ...lightningTrainer('training.trainer'),
    model: {
      keys: ['model.base_model_name'],
      read: word,
      absent: { value: 'sentence-transformers/all-MiniLM-L6-v2', source: `${CONFIG}, ModelConfig` },
    },
    task: run => run.byCode('contrastive_embedding', 'naics-embedder model/naics_model.py'),
    method: run => run.byCode('lora', `${ENCODER}: each encoder is wrapped by PEFT`),
    microBatchSize: {
      keys: ['data_loader.batch_size'],
      read: count,
      absent: { value: 32, source: `${CONFIG}, DataLoaderConfig` },
    },
    seqLen: { keys: LENGTHS, read: count, absent: { value: 512, source: `${CONFIG}, StreamingConfig` } },
    packing: run => run.byCode(false, 'naics-embedder data_loader/datamodule.py'),
    loadDtype: run => {
      const precision = run.get('precision').value;
      if (precision === 'bf16' || precision === 'fp16') {
        return run.derived(precision, ['precision'], 'true 16-bit precision casts the module');
      }
      return run.byCode('fp32', `${ENCODER}: from_pretrained without a dtype`);
    },
    quantization: run => run.byCode<never>(null, `${ENCODER}: from_pretrained without quantisation`),
    optimizer: run => run.byCode('adamw', 'naics-embedder model/naics_model.py: torch.optim.AdamW'),
    gradientCheckpointing: run => run.byCode(true, `${ENCODER}: use_gradient_checkpointing=True`),
    attention: run => run.byDefault('sdpa', `${ENCODER}: from_pretrained without attn_implementation`),
    lora: run => {
      const value = (key: string, otherwise: number): number => run.read(key, number) ?? otherwise;
      const settings = {
        r: value('model.lora.r', 8),
        alpha: value('model.lora.alpha', 16),
        dropout: value('model.lora.dropout', 0.1),
        targets: 'all-linear' as const,
        modulesToSave: [],
        rslora: false,
        dora: false,
      };
      return run.has('model.lora')
        ? run.at(['model.lora.r', 'model.lora'], settings)
        : run.byDefault(settings, `${CONFIG}, LoRAConfig`);
    },
    zeroStage: run => run.byCode<never>(null, 'naics-embedder cli.py: DDP at most'),
    fsdp: run => run.byCode<never>(null, 'naics-embedder cli.py: DDP at most'),
    offload: run => run.byCode<never>(null, 'naics-embedder cli.py: DDP at most'),
    parallel: run => run.byCode<never>(null, 'naics-embedder cli.py: DDP at most'),
    numWorkers: {
      keys: ['data_loader.num_workers'],
      read: countOrNone,
      absent: { value: 4, source: `${CONFIG}, DataLoaderConfig` },
    },
    compile: run => run.byCode(false, 'naics-embedder cli.py'),
  },
  details: {
    paddedRows: run => run.byCode(true, PADDING),
    fixedLength: run => run.byCode(true, PADDING),
    adapterDtype: run => run.byDefault('fp32', 'peft: adapters of a fp32 base'),
    autocast: autocastByPrecision,
    reentrantCheckpointing: run =>
      run.byDefault(true, 'transformers 4 modeling_utils.py gradient_checkpointing_enable'),
    sequencesPerSample: run => {
      const negatives = run.count('n_negatives') ?? run.count('data_loader.streaming.n_negatives');
      if (negatives === null) {
        return run.unknown(
          'n_negatives is set by no stage file; the program then takes up to 2125 a sample.',
        );
      }
      const formula = `anchor + positive + ${negatives} negatives; n_positives widens the data, not the batch`;
      return run.derived(2 + negatives, ['n_negatives'], formula);
    },
    encoders: run => run.byCode(4, `${ENCODER}: title, description, excluded, examples`),
    head: run => run.byCode('base', `${ENCODER}: AutoModel, its hidden states averaged`),
    referenceModel: run => run.byCode(false, 'naics-embedder model/naics_model.py'),
  },
  compose: stagesBeside({
    folders: ['curriculum', 'text_curriculum'],
    at: 'curriculum',
    marked: 'n_negatives',
    config: ['training', 'data_loader'],
  }),
  launch: [
    {
      argv: ['uv', 'run', 'naics-embedder', 'train', '--stage', '{stage}'],
      source: 'training-memory guide, Quick start; the stage is the number that its file begins with',
    },
  ],
  logs: lightningLogs,
  help: guideTrainingHelp,
};
