/** Bytes of the binary units in which GPUs, drivers and files are measured. */

/** Bytes of a kibibyte. */
export const KIB = 2 ** 10;
/** Bytes of a mebibyte, in which drivers report memory. */
export const MIB = 2 ** 20;
/** Bytes of a gibibyte, which the boxes of GPUs call GB. */
export const GIB = 2 ** 30;
