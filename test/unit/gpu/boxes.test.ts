import assert from 'node:assert/strict';
import { readSmiTables } from '../../../src/gpu/other/smiTable';

const BOX = `Wed Nov  8 16:16:45 2023
+------------------------------------------------------------------------------+
| Processes:                                                                   |
|  Card  MI  PID     Command Line                             MLU Memory Usage |
|==============================================================================|
|  No running processes found                                                  |
+------------------------------------------------------------------------------+
`;

describe('gpu: tables drawn with bars', () => {
  it('end where a line has no bars: the date of the next output is no process', () => {
    assert.deepEqual(readSmiTables(BOX + BOX, 0).processes, []);
  });
});
