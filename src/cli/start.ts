#!/usr/bin/env node
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { cacheFileFor, runCompiled } from './compiled';

/** The program lies next to this file: so large that compiling it takes as long as a check of one config. */
const program = join(__dirname, 'program.js');
runCompiled(program, file => cacheFileFor(file, process.argv[2], process.env), isMainThread);
