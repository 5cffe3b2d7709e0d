import { PLAIN_MARKS } from '../core/lengths/chatMarks';
import type { ChatMarks } from '../core/lengths/chatMarks';
import type { DatasetRef } from '../core/spec/dataset';
import type { TemplateUse } from '../core/lengths/record';
import { sequencesOf, textToTokenize } from '../core/lengths/rowText';
import type { Sequences, Turn } from '../core/lengths/rowText';
import type { RawRecord } from '../embed/input/records';
import type { Renderer } from './templates';

/** A row's text to tokenize. */
export interface RowText {
  readonly text: string;
  /** A template rendered it, including the tokens at its ends. */
  readonly isRendered: boolean;
}

type Conversation = readonly Turn[];

/** Conversations rendered at a time. */
const AT_A_TIME = 256;

/**
 * Makes rows of records as the framework does: with the tokenizer's own template if it uses that, else with the
 * markers of the chat format.
 */
export class RowTexts {
  private rendered = 0;
  private refused = 0;
  private why: string | null = null;
  /** The template failed and is no longer used. */
  private isLost = false;
  /** Whether markers replaced a template. */
  isMarked = false;

  constructor(
    private readonly marks: ChatMarks = PLAIN_MARKS,
    private readonly renderer: Renderer | null = null,
  ) {}

  /** One row per record; null for a record without text. */
  async of(records: readonly RawRecord[], ref: DatasetRef): Promise<readonly (RowText | null)[]> {
    const all = records.map(({ fields }) => sequencesOf(fields, ref));
    const texts = await this.byTemplate(ref, all);
    return all.map(sequences => {
      const rows = sequences?.map(one => this.rowOf(one, ref, texts));
      // The longer one of a pair determines the row's length.
      return rows?.reduce((a, b) => (b.text.length > a.text.length ? b : a)) ?? null;
    });
  }

  /** How the template fared; null: it was not used. */
  get use(): TemplateUse | null {
    const { rendered, refused, why } = this;
    return rendered + refused === 0 ? null : { rendered, refused, why };
  }

  private rowOf(
    one: string | Conversation,
    ref: DatasetRef,
    texts: ReadonlyMap<Conversation, string>,
  ): RowText {
    const text = typeof one === 'string' ? undefined : texts.get(one);
    if (text !== undefined) return { text, isRendered: true };
    this.isMarked ||= ref.template === 'chat' && typeof one !== 'string';
    return { text: textToTokenize(one, ref, this.marks), isRendered: false };
  }

  private async byTemplate(
    ref: DatasetRef,
    all: readonly (Sequences | null)[],
  ): Promise<ReadonlyMap<Conversation, string>> {
    const texts = new Map<Conversation, string>();
    if (ref.template !== 'chat' || ref.ownTemplate !== undefined || !this.renderer) return texts;
    const rows = all.flatMap(sequences => (sequences ?? []).filter(one => typeof one !== 'string'));
    for (let i = 0; i < rows.length; i += AT_A_TIME) {
      await this.render(this.renderer, rows.slice(i, i + AT_A_TIME), texts);
    }
    return texts;
  }

  private async render(
    renderer: Renderer,
    rows: readonly Conversation[],
    texts: Map<Conversation, string>,
  ): Promise<void> {
    const answers = this.isLost ? [] : await renderer.render(rows);
    if ('why' in answers) {
      this.isLost = true;
      this.why = answers.why;
    }
    for (const [i, row] of rows.entries()) {
      const answer = 'why' in answers ? undefined : answers[i];
      if (answer && 'text' in answer) texts.set(row, answer.text);
      else this.why ??= answer?.why ?? null;
    }
    const done = rows.filter(row => texts.has(row)).length;
    this.rendered += done;
    this.refused += rows.length - done;
  }
}
