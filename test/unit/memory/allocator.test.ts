import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Alive } from '../../../src/core/memory/alive';
import { CachingAllocator } from '../../../src/core/memory/allocator';
import type { Block, BlockTable } from '../../../src/core/memory/blockTable';
import { Journal } from '../../../src/core/memory/journal';
import { tries } from '../../tries';

const MIB = 2 ** 20;

describe('memory: the caching allocator', () => {
  it('takes segments of 2 and 20 MiB, and above 10 MiB the size itself', () => {
    const reserved = (bytes: number): number => {
      const allocator = new CachingAllocator(false);
      allocator.allocate(bytes);
      return allocator.reserved / MIB;
    };
    assert.deepEqual(
      [512, MIB, MIB + 512, 10 * MIB - 512, 10 * MIB, 11 * MIB].map(reserved),
      [2, 2, 20, 20, 10, 12],
    );
  });

  it('splits off the rest of a block, and merges free neighbors', () => {
    const allocator = new CachingAllocator(false);
    const blocks = Array.from({ length: 4 }, () => allocator.allocate(5 * MIB));
    assert.equal(allocator.reserved, 20 * MIB);
    for (const block of blocks) allocator.release(block);
    allocator.allocate(20 * MIB);
    assert.equal(allocator.reserved, 20 * MIB);
  });

  it('does not split a large block for less than a small one', () => {
    const allocator = new CachingAllocator(false);
    allocator.allocate(19.5 * MIB);
    assert.equal(allocator.reserved, 20 * MIB);
    const first = new CachingAllocator(false);
    first.release(first.allocate(12 * MIB));
    first.allocate(11.5 * MIB);
    first.allocate(1.5 * MIB);
    assert.equal(first.reserved, 32 * MIB, 'the half MiB that was left over serves nobody');
  });

  it('counts a block whole where its rest is too small to be split off', () => {
    const peakOf = (expandable: boolean): { asked: number; allocated: number } => {
      const allocator = new CachingAllocator(expandable);
      allocator.release(allocator.allocate(12 * MIB));
      allocator.allocate(11.5 * MIB);
      allocator.allocate(1.5 * MIB);
      return allocator.peak;
    };
    assert.deepEqual(peakOf(false), { asked: 13 * MIB, allocated: 13.5 * MIB });
    assert.deepEqual(peakOf(true), { asked: 13 * MIB, allocated: 13 * MIB });
  });

  it('uses the smallest sufficient free block', () => {
    const allocator = new CachingAllocator(false);
    const [large, small] = [allocator.allocate(40 * MIB), allocator.allocate(20 * MIB)];
    allocator.release(large);
    allocator.release(small);
    allocator.allocate(20 * MIB);
    allocator.allocate(40 * MIB);
    assert.equal(allocator.reserved, 60 * MIB);
  });

  it('keeps its account where blocks are in use for good, and are known to nobody', () => {
    const steps = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 80_000 }), fc.constantFrom('good', 'use', 'free')),
      {
        maxLength: 80,
      },
    );
    fc.assert(
      fc.property(steps, fc.boolean(), (sequence, expandable) => {
        const [known, unknown] = [new CachingAllocator(expandable), new CachingAllocator(expandable)];
        const alive: [Block, Block][] = [];
        for (const [units, what] of sequence) {
          const bytes = units * 512;
          const youngest = what === 'free' ? alive.pop() : undefined;
          if (youngest) {
            known.release(youngest[0]);
            unknown.release(youngest[1]);
          } else if (what === 'good') {
            known.allocate(bytes);
            unknown.allocateForGood(bytes);
          } else alive.push([known.allocate(bytes), unknown.allocate(bytes)]);
          assert.equal(unknown.reserved, known.reserved);
        }
        assert.deepEqual(unknown.peak, known.peak);
      }),
      { numRuns: tries(50) },
    );
  });

  it('begins anew as if it had never been used', () => {
    const sizes = [3 * MIB, 512, 30 * MIB, 19.5 * MIB, 1024, 3 * MIB];
    const played = (allocator: CachingAllocator): unknown => {
      const blocks = sizes.map(bytes => allocator.allocate(bytes));
      for (const block of blocks.slice(1, 4)) allocator.release(block);
      allocator.allocate(25 * MIB);
      return { reserved: allocator.reserved, ...allocator.peak };
    };
    for (const expandable of [false, true]) {
      const used = new CachingAllocator(!expandable);
      played(used);
      used.begin(expandable);
      assert.deepEqual(played(used), played(new CachingAllocator(expandable)));
    }
  });

  it('lets a segment grow where segments are expandable', () => {
    const [fixed, growing] = [new CachingAllocator(false), new CachingAllocator(true)];
    for (const allocator of [fixed, growing]) {
      allocator.release(allocator.allocate(40 * MIB));
      allocator.allocate(60 * MIB);
    }
    assert.deepEqual([fixed.reserved / MIB, growing.reserved / MIB], [100, 60]);
  });

  it('never hands out memory twice, and reserves at least what is alive', () => {
    const sizes = fc.array(fc.tuple(fc.integer({ min: 1, max: 80_000 }), fc.boolean()), { maxLength: 120 });
    fc.assert(
      fc.property(sizes, fc.boolean(), (steps, expandable) => {
        const allocator = new CachingAllocator(expandable);
        const alive = new Set<Block>();
        for (const [units, free] of steps) {
          const [oldest] = alive;
          if (free && oldest !== undefined) {
            allocator.release(oldest);
            alive.delete(oldest);
          } else alive.add(allocator.allocate(units * 512));
          assertApart([...alive], allocator.table);
          const live = [...alive].reduce((sum, block) => sum + allocator.table.size[block]!, 0);
          assert.ok(allocator.reserved >= live);
        }
      }),
      { numRuns: tries(20) },
    );
  });
});

function assertApart(blocks: readonly Block[], table: BlockTable): void {
  const sorted = blocks.toSorted((a, b) => table.place[a]! - table.place[b]!);
  sorted.forEach((block, i) => {
    const next = sorted[i + 1];
    if (next === undefined) return;
    assert.ok(table.place[block]! + table.size[block]! / 512 <= table.place[next]!);
  });
}

describe('memory: the journal', () => {
  it('plays a repetition as often as it stands for, backwards from the youngest', () => {
    const journal = new Journal();
    journal.began(3);
    const id = journal.allocated(20 * MIB);
    journal.ended();
    const forward = journal.length;
    journal.began(3);
    journal.released(id, 1);
    journal.ended();
    const allocator = new CachingAllocator(false);
    const alive = new Alive(journal.ids);
    journal.play(allocator, alive, 0, forward);
    assert.equal(allocator.reserved, 60 * MIB);
    journal.play(allocator, alive, forward, journal.length);
    allocator.allocate(20 * MIB);
    assert.equal(allocator.reserved, 60 * MIB);
  });

  it('hands blocks from round to round', () => {
    const journal = new Journal();
    const input = journal.allocated(20 * MIB);
    journal.began(4);
    const output = journal.allocated(20 * MIB);
    journal.released(input, 1);
    journal.ended([input], [output]);
    const allocator = new CachingAllocator(false);
    journal.play(allocator, new Alive(journal.ids), 0, journal.length);
    assert.equal(allocator.reserved, 40 * MIB);
  });
});
