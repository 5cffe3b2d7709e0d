// Which room may import which, from src/rooms.json: shared by the linter, the architecture test and CONTRIBUTING.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';

const PURE =
  'Core has no editor, no Node, no clock: what it needs of the world comes through core/analyse/world.ts.';

/** The table of rooms, lowest first. */
export const readRooms = root => JSON.parse(readFileSync(`${root}/src/rooms.json`, 'utf8'));

const places = new WeakMap();

/** Rooms by their folders and files, without extensions. */
function placesOf(rooms) {
  if (!places.has(rooms)) {
    const named = Object.entries(rooms).flatMap(([room, { also = [] }]) =>
      [room, ...also].map(name => [name.replace(/\.ts$/, ''), room]),
    );
    places.set(rooms, new Map(named));
  }
  return places.get(rooms);
}

/**
 * The room of a file, with or without its extension: `src/core/yaml/parse.ts` → core/yaml. The innermost wins.
 * Undefined: the file is in src, but in no room. Null: it is outside.
 */
export function roomOf(rooms, path) {
  if (!/^(src|webview)\//.test(path)) return null;
  const known = placesOf(rooms);
  let place = path.replace(/^src\//, '').replace(/\.ts$/, '');
  while (place !== '.' && !known.has(place)) place = posix.dirname(place);
  return known.get(place);
}

/** Why a file may not import the given module; null: it may. */
export function refusal(rooms, from, written) {
  const room = roomOf(rooms, from);
  if (room === undefined) return `${from} is in no room: describe its room in src/rooms.json.`;
  if (room === null) return null;
  const { why, sees } = rooms[room];
  if (!written.startsWith('.')) {
    const system = written === 'vscode' ? 'vscode' : isBuiltin(written) ? 'node' : null;
    return system && !rooms[room][system]
      ? `${room} may not import ${written}. ${room.startsWith('core/') ? PURE : why}`
      : null;
  }
  const path = posix.join(posix.dirname(from), written);
  const other = roomOf(rooms, path);
  if (other === room || sees.includes(other) || path === 'package.json') return null;
  const seen = sees.length > 0 ? `It may import ${sees.join(', ')}.` : 'It imports no other room.';
  return `${room} may not import ${other ?? path}. ${why} ${seen}`;
}

/** Core's rooms by their last names; or those that are not seen, if that is shorter. */
function seenInWords(rooms, room) {
  const { sees, vscode = false } = rooms[room];
  const plain = names => names.map(name => name.replace(/^core\//, '').replace(/\.ts$/, '')).join(' ');
  const core = Object.keys(rooms).filter(name => name.startsWith('core/'));
  const seen = plain(core.filter(name => sees.includes(name)));
  const without = `core without ${plain(core.filter(name => !sees.includes(name)))}`;
  const ofCore = !room.startsWith('core/') && without.length < seen.length ? without : seen;
  const others = sees.filter(name => !core.includes(name)).join(' ');
  return [ofCore, others, vscode ? '`vscode`' : ''].filter(Boolean).join(' · ');
}

/** The rooms as a Markdown table, in the formatter's style. */
export function roomsTable(rooms) {
  const rows = Object.entries(rooms).map(([room, { holds }]) => [
    room === 'webview' ? '`webview`' : `\`src/${room}\``,
    holds,
    seenInWords(rooms, room),
  ]);
  const cells = [['room', 'contents', 'may import'], ...rows];
  const widths = [0, 1, 2].map(column => Math.max(...cells.map(row => row[column].length)));
  const line = row => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = cells.map(line);
  return [head, line(widths.map(width => '-'.repeat(width))), ...body].join('\n');
}
