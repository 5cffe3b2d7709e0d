import type { OwnModel } from '../../models/ownModel';
import type { RunReader } from '../engine/runReader';
import { Finder, isCount, isCounts, isNamed } from './finder';
import { leavesOfRun } from './leaves';
import type { Leaf } from './leaves';

const names = (...patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join('|')})$`);

/** Channels of each level (diffusers), or factors of the first level's (latent-diffusion, guided-diffusion, lucidrains). */
const WIDTHS = names('block_out_channels');
const FACTORS = names('channel_mult(?:s|ipliers?)?', 'ch_mults?', 'dim_mults');
const WIDTH = names('model_channels', 'base_ch(?:annels)?', 'model_dim', 'dim', 'ch', 'n_channels');
const LAYERS = names('layers_per_block', 'num_res_blocks', 'n_res_blocks');
/** Of one pixel of a latent, or of an image. */
const INPUTS = names('in_channels', 'channels');
const SIDE = names('sample_size', 'image_size');
const TEXT = names('cross_attention_dim', 'context_dim');
const DOWN = names('down_block_types');
const ATTENDED = names('attention_resolutions', 'attn_resolutions');
const DEPTH = names('transformer_depth', 'transformer_layers_per_block');

/** Sections of the networks beside a denoiser. */
const BESIDE = /first_?stage|vae|autoencoder|ddconfig|decoder|encoder|discriminator|cond_?stage/;

/** Levels of half the size each; no denoiser has more. */
const MOST_LEVELS = 10;
/** Larger sides than this are pixels, not latents. */
const LARGEST_LATENT = 128;
/** Of Stable Diffusion's autoencoder, where the config tells no other. */
const LATENT_SCALE = 8;

/** Sections of an autoencoder, whose latents the denoiser gets. */
const ENCODED = /first_?stage|vae|autoencoder/;
/** Of attention, unless widths have other factors. */
const HEAD_SIZE = 64;

/**
 * The U-Net of a diffusion model that a config describes by its channels, in the words of diffusers or of latent-diffusion.
 * Null: none, or several that differ.
 */
export function ownUnetByRole(run: RunReader): OwnModel | null {
  const leaves = leavesOfRun(run);
  const finder = new Finder(leaves.filter(({ sections }) => !sections.some(one => BESIDE.test(one))));
  const listed = onlyOf(finder.all(isNamed(WIDTHS), isCounts));
  const factors = listed ? null : onlyOf(finder.all(isNamed(FACTORS), isCounts));
  const leaf = listed ?? factors;
  if (!leaf) return null;
  const isEncoded = leaves.some(({ sections }) => sections.some(one => ENCODED.test(one)));
  const [pixels = null] = (isEncoded ? run.get('imageSize').value : null) ?? [];
  const sizes = new Sizes(finder, leaf, pixels);
  const width = listed ? 1 : sizes.count(WIDTH);
  const widths = numbersOf(leaf).map(factor => factor * (width ?? 0));
  const layers = sizes.count(LAYERS);
  const isKnown =
    widths.length > 0 && widths.length <= MOST_LEVELS && widths.every(one => one % 32 === 0 && one > 0);
  if (!isKnown || layers === null) return null;
  return {
    as: 'config.json',
    config: { ...sizes.config(widths), layers_per_block: layers },
    fromScratch: true,
  };
}

/** The sizes beside the channels, in the same section. */
class Sizes {
  constructor(
    private readonly finder: Finder,
    private readonly beside: Leaf,
    /** Side of the images that an autoencoder turns into latents; null: not known. */
    private readonly pixels: number | null,
  ) {}

  count(pattern: RegExp): number | null {
    const leaf = this.leaf(pattern, isCount);
    return leaf && Number(leaf.value);
  }

  config(widths: readonly number[]): Record<string, unknown> {
    const channels = this.count(INPUTS) ?? 4;
    const side = this.count(SIDE);
    const scale = this.scale(channels, side);
    const depths = this.depths(widths.length);
    return {
      _class_name: 'UNet2DConditionModel',
      block_out_channels: widths,
      transformer_layers_per_block: depths,
      mid_depth: Math.max(...depths),
      // Without a text, its attention sees the image once more.
      cross_attention_dim: this.count(TEXT) ?? widths[0],
      ...(widths.some(one => one % HEAD_SIZE !== 0) && { attention_heads: 8 }),
      in_channels: channels,
      out_channels: this.count(names('out_channels')) ?? channels,
      vae_scale_factor: scale,
      ...(side !== null && { image_size: side * scale }),
    };
  }

  /** Pixels of an image for each of a latent; 1: it gets pixels. */
  private scale(channels: number, side: number | null): number {
    const factor = side === null || this.pixels === null ? 0 : this.pixels / side;
    if (Number.isInteger(factor) && factor > 0) return factor;
    return channels > 3 && (side ?? 0) <= LARGEST_LATENT ? LATENT_SCALE : 1;
  }

  /** Transformer blocks by level. */
  private depths(levels: number): readonly number[] {
    const depth = this.count(DEPTH) ?? 1;
    const types = this.wordsIn(DOWN);
    if (types.length === levels) return types.map(type => (/attn/i.test(type) ? depth : 0));
    const attended = this.leaf(ATTENDED, ({ node }) => node.kind === 'sequence');
    if (attended === null) return Array.from({ length: levels }, () => 0);
    const factors = numbersOf(attended);
    return Array.from({ length: levels }, (_, level) => (factors.includes(2 ** level) ? depth : 0));
  }

  private wordsIn(pattern: RegExp): readonly string[] {
    const node = this.leaf(pattern, one => one.node.kind === 'sequence')?.node;
    if (node?.kind !== 'sequence') return [];
    return node.items.flatMap(item => (item.kind === 'scalar' ? [String(item.value)] : []));
  }

  private leaf(pattern: RegExp, test: (leaf: Leaf) => boolean): Leaf | null {
    const section = this.beside.sections.join('.');
    return onlyOf(this.finder.all(isNamed(pattern), test, one => one.sections.join('.') === section));
  }
}

/** The only leaf, or one of several that say the same. */
function onlyOf(leaves: readonly Leaf[]): Leaf | null {
  const [first, ...others] = leaves;
  const same = (one: Leaf): boolean =>
    String(numbersOf(one)) === String(first && numbersOf(first)) && one.value === first?.value;
  return first && others.every(same) ? first : null;
}

const numbersOf = ({ node }: Leaf): readonly number[] =>
  node.kind === 'sequence'
    ? node.items.flatMap(item =>
        item.kind === 'scalar' && typeof item.value === 'number' ? [item.value] : [],
      )
    : [];
