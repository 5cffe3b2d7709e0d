/** Layers of a network behind each other, with what a pass keeps of them for backward. */
export interface NetworkPart {
  /** Shapes of the parameters that are trained. */
  readonly trained: readonly (readonly number[])[];
  /** Shapes of those that are not. */
  readonly frozen: readonly (readonly number[])[];
  /** Bytes per sample in fp32 throughout, and under 16-bit autocast. */
  readonly kept: { readonly full: number; readonly mixed: number };
  /** Elements per sample of the largest result. */
  readonly largest: number;
  readonly work: NetworkWork;
}

/** What a pass computes, by class of operation, per sample. */
export interface NetworkWork {
  /** Products of matrices; `gradients`: how many backward has of each. */
  readonly products: readonly (ProductOfSample & { readonly gradients: number })[];
  /** FLOPs of fused attention in forward, and in the products of backward. */
  readonly attention: { readonly forward: number; readonly backward: number };
  /** Bytes of all results in fp32 throughout and under 16-bit autocast. */
  readonly written: { readonly full: number; readonly mixed: number };
  /** Results of a pass, however many samples it has. */
  readonly kernels: number;
}

/** `[rows, inputs] × [inputs, outputs]`, `groups` at once and `times` behind each other. */
export interface ProductOfSample {
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly groups: number;
  readonly times: number;
  /** Elements of the input of a convolution, whose windows share them; absent: a product of matrices. */
  readonly reads?: number;
  /** What a larger batch has more of. */
  readonly grows: 'rows' | 'groups';
}

/** A network as its own code builds it, with what one pass does per sample. */
export interface NetworkFacts {
  /** The class, and the file that has it. */
  readonly name: string;
  readonly file: string;
  readonly parts: readonly NetworkPart[];
  /** Elements of one sample's input and output. */
  readonly inputs: number;
  readonly outputs: number;
  /** Sides of the image that it makes, height first; absent: it makes none. */
  readonly sides?: readonly number[];
  readonly parameters: number;
  /** What was assumed of a sample, as phrases. */
  readonly assumed: readonly string[];
}

/** A class by its full name, with its arguments. */
export interface NetworkPath {
  readonly path: string;
  readonly arguments: NetworkArguments;
}

/** A class of a program that a config names, with the arguments that it states. */
export interface NetworkClass {
  /** `src.models.unet.UNet`; null: only the program that loads the config tells it. */
  readonly path: string | null;
  /** Of the class. Sections with a class path of their own stand for what that makes. */
  readonly arguments: NetworkArguments;
  /** A network of a library that the config builds or speaks of, where no code of the project makes one. */
  readonly library: NetworkPath | null;
  /** The whole config. */
  readonly config: NetworkArguments;
}

export type NetworkArgument =
  | null
  | boolean
  | number
  | string
  | readonly NetworkArgument[]
  | NetworkArguments;

export interface NetworkArguments {
  readonly [name: string]: NetworkArgument;
}
