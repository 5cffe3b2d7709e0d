"""torch's CUDACachingAllocator: the reserved bytes for the allocated ones."""

import bisect

from .kernels import rounded

MIB = 1 << 20


class CachingAllocator:
    """512 B rounding, small and large pools, best fit, splitting, merging; no expandable segments."""

    def __init__(self):
        self.free = {True: [], False: []}  # small? -> sorted (size, segment, offset)
        self.blocks = {}  # (segment, offset) -> [size, free, small, previous offset, next offset]
        self.used = {}
        self.reserved = self.peak = 0
        self.segments = 0

    def alloc(self, key, size):
        size = max(512, rounded(size, 512))
        small = size <= MIB
        pool = self.free[small]
        at = bisect.bisect_left(pool, (size, -1, -1))
        if at < len(pool):
            _, segment, offset = pool.pop(at)
        else:
            segment, offset = self._segment(size, small), 0
        block = self.blocks[(segment, offset)]
        rest = block[0] - size
        if rest >= 512 if small else rest > MIB:
            self._split(segment, offset, size, rest)
        block[1] = False
        self.used[key] = (segment, offset)

    def _segment(self, size, small):
        whole = 2 * MIB if small else 20 * MIB if size < 10 * MIB else rounded(size, 2 * MIB)
        segment, self.segments = self.segments, self.segments + 1
        self.blocks[(segment, 0)] = [whole, True, small, None, None]
        self.reserved += whole
        self.peak = max(self.peak, self.reserved)
        return segment

    def _split(self, segment, offset, size, rest):
        block = self.blocks[(segment, offset)]
        small, after = block[2], block[4]
        if after is not None:
            self.blocks[(segment, after)][3] = offset + size
        self.blocks[(segment, offset + size)] = [rest, True, small, offset, after]
        block[0], block[4] = size, offset + size
        bisect.insort(self.free[small], (rest, segment, offset + size))

    def release(self, key):
        segment, offset = self.used.pop(key)
        block = self.blocks[(segment, offset)]
        pool = self.free[block[2]]
        after = block[4]
        if after is not None and self.blocks[(segment, after)][1]:
            self._swallow(pool, segment, offset, after)
        before = block[3]
        if before is not None and self.blocks[(segment, before)][1]:
            first = self.blocks[(segment, before)]
            pool.pop(bisect.bisect_left(pool, (first[0], segment, before)))
            first[0] += block[0]
            first[4] = block[4]
            if block[4] is not None:
                self.blocks[(segment, block[4])][3] = before
            del self.blocks[(segment, offset)]
            offset, block = before, first
        block[1] = True
        bisect.insort(pool, (block[0], segment, offset))

    def _swallow(self, pool, segment, offset, after):
        """Merges the following free block into this one."""
        block, other = self.blocks[(segment, offset)], self.blocks.pop((segment, after))
        pool.pop(bisect.bisect_left(pool, (other[0], segment, after)))
        block[0] += other[0]
        block[4] = other[4]
        if other[4] is not None:
            self.blocks[(segment, other[4])][3] = offset
