#!/usr/bin/env node
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { cacheFileFor, runCompiled } from './compiled';

/** The program is a separate file, so large that compiling it takes as long as checking one config. */
const program = join(__dirname, 'program.js');
try {
  runCompiled(program, file => cacheFileFor(file, process.argv[2], process.env), isMainThread);
} catch {
  // An incomplete installation. Node would exit with 1, which means a verdict.
  process.emitWarning('headroom is not installed completely. Install it again.');
  process.exitCode = 3;
}
