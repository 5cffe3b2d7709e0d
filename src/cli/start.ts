#!/usr/bin/env node
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { cacheFileFor, runCompiled } from './compiled';

/** The program is a separate file, so large that compiling it takes as long as checking one config. */
const program = join(__dirname, 'program.js');
runCompiled(program, file => cacheFileFor(file, process.argv[2], process.env), isMainThread);
