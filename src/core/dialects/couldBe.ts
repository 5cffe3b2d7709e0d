import { couldBeGeneric } from './generic/sniff';
import { couldBeOurs } from './recognise';

/** A look at the text, without parsing: false when neither a dialect nor a reading by vocabulary can come of it. */
export const couldBeRead = (text: string): boolean => couldBeOurs(text) || couldBeGeneric(text);
