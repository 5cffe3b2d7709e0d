import { join } from 'node:path';
import { tries } from '../../tries';
import { describeMangled } from '../../unit/gpu/mangling';

const SHARED = join(process.env['HEADROOM_SHARED'] ?? '../shared', 'telemetry/samples/INDEX.jsonl');

describeMangled('gpu: recordings, mangled (shared material)', SHARED, tries(200));
