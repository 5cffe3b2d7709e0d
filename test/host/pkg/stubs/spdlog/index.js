'use strict';
// Stands in for the native logger of VS Code's server: a synchronous append is enough here and needs no compiler.
// The exports are assigned one by one, so that Node offers them as named ES exports.
const fs = require('fs');
const path = require('path');

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'critical'];

class Logger {
  constructor(_kind, _name, file) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    this.file = file;
    this.level = levels.indexOf('info');
    this.raw = false;
  }

  getLevel() {
    return this.level;
  }

  setLevel(level) {
    this.level = level;
  }

  setPattern() {
    this.raw = false;
  }

  clearFormatters() {
    this.raw = true;
  }

  flush() {}

  drop() {}

  write(level, message) {
    if (level < this.level) return;
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    try {
      fs.appendFileSync(this.file, this.raw ? message : `${time} [${levels[level]}] ${message}\n`);
    } catch {
      // The log folder is gone: we are shutting down.
    }
  }
}

levels.forEach((name, level) => {
  Logger.prototype[name] = function log(message) {
    this.write(level, message);
  };
});

const create = (name, file) => Promise.resolve(new Logger('rotating', name, file));

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
