/**
 * `schema(id: utf8 not null, embedding: fixed_size_list<float32 not null>[384])` as Arrow writes it (pyarrow 22,
 * Schema.serialize()): readers of the Arrow family then make vectors of one length, for which Parquet has no type.
 */
const OF_384 =
  '/////+AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAACEAAAABAAAAJT///8AAAAQFAAAACQAAAAEAAAAAQAAACAAAAAJAAAAZW1iZWRkaW5nAAYACAAEAAYAAACAAQAAzP///wAAAAMQAAAAIAAAAAQAAAAAAAAABwAAAGVsZW1lbnQAAAAGAAgABgAGAAAAAAABABAAFAAIAAAABwAMAAAAEAAQAAAAAAAABRAAAAAYAAAABAAAAAAAAAACAAAAaWQAAAQABAAEAAAAAAAAAA==';

/** Where the list's length stands in it. */
const LENGTH_AT = 116;

/** The value of a Parquet file's `ARROW:schema` for vectors of some length. */
export function arrowSchema(dimensions: number): string {
  const bytes = Buffer.from(OF_384, 'base64');
  bytes.writeInt32LE(dimensions, LENGTH_AT);
  return bytes.toString('base64');
}
