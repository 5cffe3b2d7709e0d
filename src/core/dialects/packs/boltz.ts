import { flag } from '../engine/readers';
import type { Pack } from '../dialect';

/** Structures of biomolecules: jwohlwend/boltz. */
export const boltz: Pack = {
  id: 'boltz',
  project: 'jwohlwend/boltz 832486d',
  extends: ['hydra'],
  evidence: { modules: ['boltz'] },
  task: 'structure_prediction',
  quantities: {
    strategy: run =>
      run.unknown('The program chooses it: boltz 832486d scripts/train/train.py: DDP for several devices.'),
    gradientCheckpointing: {
      keys: ['model.pairformer_args.activation_checkpointing', 'model.msa_args.activation_checkpointing'],
      read: flag,
    },
  },
};
