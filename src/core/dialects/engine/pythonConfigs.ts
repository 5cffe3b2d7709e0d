/** What OpenMMLab's configs are made of: files beneath, and sections that are dictionaries. */
export const looksLikePythonConfig = (text: string): boolean =>
  /^_base_[ \t]{0,4}=|^with read_base\(\)/m.test(text) ||
  (/^model[ \t]{0,4}=[ \t]{0,4}(?:dict\(|\{)/m.test(text) && /\btype[ \t]{0,4}=|['"]type['"]/.test(text));

/** The dialect of configs that are Python code. */
export const PYTHON_CONFIG = 'openmmlab';

export const isPythonConfig = (path: string, text: string): boolean =>
  path.endsWith('.py') && looksLikePythonConfig(text);
