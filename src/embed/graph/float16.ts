const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

const MANTISSA = 13;
const BIAS = 127 - 15;

/** The nearest half-precision number, ties to even, as 16 bits (IEEE 754). */
export function toHalf(value: number): number {
  float[0] = value;
  const word = bits[0] ?? 0;
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude >= 0x47800000) return sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00);
  if (magnitude < 0x38800000) return sign | subnormal(Math.abs(value));
  const rounded = magnitude + 0xfff + ((magnitude >>> MANTISSA) & 1);
  return sign | ((rounded - (BIAS << 23)) >>> MANTISSA);
}

/** Below 2⁻¹⁴, half-precision numbers are multiples of 2⁻²⁴. */
function subnormal(magnitude: number): number {
  return roundHalfEven(magnitude * 2 ** 24);
}

/** Rounds to the nearest integer, ties to even, as numpy's rint. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** The number for 16 bits. */
export function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const mantissa = half & 0x3ff;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}
