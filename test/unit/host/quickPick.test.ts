import assert from 'node:assert/strict';
import { refill, rows } from '../../../src/host/quickPick';

interface Row {
  readonly label: string;
  readonly id: number;
}

/** Like the editor's list: setting the rows makes the first one active. */
class List {
  private rows: readonly Row[] = [];
  activeItems: readonly Row[] = [];

  get items(): readonly Row[] {
    return this.rows;
  }

  set items(rows: readonly Row[]) {
    this.rows = rows;
    this.activeItems = rows.slice(0, 1);
  }
}

const row = (id: number, label = `row ${id}`): Row => ({ id, label });
const isSame = (one: Row, other: Row): boolean => one.id === other.id;

describe('a list that is filled while somebody walks through it', () => {
  const active = (list: List): readonly string[] => list.activeItems.map(({ label }) => label);

  it('keeps the row that he has gone to, although its text and its place change', () => {
    const list = new List();
    refill(list, [row(1), row(2)], isSame);
    assert.deepEqual(active(list), ['row 1']);
    list.activeItems = [list.items[1] ?? row(0)];
    refill(list, [row(1), row(3), row(2, 'row 2, now with its GPU')], isSame);
    assert.deepEqual(active(list), ['row 2, now with its GPU']);
  });

  it('begins at the top where that row is gone', () => {
    const list = new List();
    refill(list, [row(1), row(2)], isSame);
    list.activeItems = [list.items[1] ?? row(0)];
    refill(list, [row(1), row(3)], isSame);
    assert.deepEqual(active(list), ['row 1']);
  });
});

describe('the rows of a list', () => {
  it('have no icons in their texts, and keep everything else', () => {
    const one = { label: '$(alert) a', description: '$(b)', detail: 'c $(d~spin)\nd', value: '$(alert) a' };
    assert.deepEqual(rows([one, { label: 'plain', picked: true }]), [
      { label: '\\$(alert) a', description: '\\$(b)', detail: 'c \\$(d~spin) d', value: '$(alert) a' },
      { label: 'plain', picked: true },
    ]);
  });
});
