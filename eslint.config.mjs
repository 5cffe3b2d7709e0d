// The house rules: who may import whom (each with a sentence), and the style that a formatter cannot check.
import tseslint from 'typescript-eslint';

const forbid = (group, message) => ({ group, message });
const roomRule = patterns => ({ 'no-restricted-imports': ['error', { patterns }] });
const vscode = message => forbid(['vscode'], message);

const nodeModules = {
  regex: '^(node:.*|fs|path|os|child_process|worker_threads)$',
  message: 'core is pure: what it needs of the world comes through core/ports.',
};
const outOfCore = forbid(
  [
    '**/remote/**',
    '**/gpu/**',
    '**/jobs/**',
    '**/tasks/**',
    '**/embed/**',
    '**/profile/**',
    '**/editor/**',
    '**/panel/**',
    '**/agent/**',
    '**/cli/**',
    '**/host/**',
  ],
  'core imports nothing outside core.',
);
const editorRooms = forbid(
  ['**/editor/**', '**/panel/**', '**/tasks/**', '**/agent/**', '**/host/**'],
  'rooms meet in extension.ts and cli/main.ts, through interfaces of core.',
);
const noCli = forbid(['**/cli/**'], 'the command line is a root of its own: nobody imports it.');

const nodeGlobals = [
  'fetch',
  'console',
  'process',
  'setInterval',
  'setTimeout',
  'clearTimeout',
  'URL',
  'URLSearchParams',
];

export default tseslint.config(
  { ignores: ['dist', 'out', 'node_modules', 'test/fixtures', 'media', 'test/host/pkg/stubs'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'webview/**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-exports': [
        'error',
        {
          restrictDefaultExports: {
            direct: true,
            named: true,
            defaultFrom: true,
            namedFrom: true,
            namespaceFrom: true,
          },
        },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that has it.' },
        {
          selector: 'ExportNamedDeclaration[source]',
          message: 'No barrels: import from the file that has it.',
        },
      ],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 15],
      eqeqeq: 'error',
      curly: ['error', 'multi-line'],
    },
  },
  {
    files: ['src/core/**/*.ts'],
    rules: {
      ...roomRule([vscode('core runs without an editor.'), nodeModules, outOfCore]),
      'no-restricted-globals': [
        'error',
        'process',
        'require',
        'Buffer',
        'setTimeout',
        'setInterval',
        'fetch',
        'performance',
        'console',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'core has no clock.' },
        { object: 'Math', property: 'random', message: 'core has no dice.' },
      ],
    },
  },
  {
    files: ['src/gpu/**/*.ts'],
    rules: roomRule([
      vscode('gpu serves the CLI too.'),
      forbid(
        ['**/jobs/**', '**/embed/**', '**/profile/**'],
        'gpu, jobs, embed and profile do not know each other.',
      ),
      editorRooms,
      noCli,
    ]),
  },
  {
    files: ['src/remote/**/*.ts'],
    rules: roomRule([
      vscode('remote serves the CLI too.'),
      forbid(
        ['**/gpu/**', '**/jobs/**', '**/embed/**', '**/profile/**', '**/world/**'],
        'remote is the way to other machines; it does not know what is wanted there.',
      ),
      editorRooms,
      noCli,
    ]),
  },
  ...['jobs', 'embed', 'profile'].map(room => ({
    files: [`src/${room}/**/*.ts`],
    rules: roomRule([
      vscode(`${room} serves the CLI too.`),
      forbid(
        ['gpu', 'jobs', 'embed', 'profile', 'world']
          .filter(other => other !== room)
          .map(other => `**/${other}/**`),
        'gpu, jobs, embed and profile do not know each other.',
      ),
      editorRooms,
      noCli,
    ]),
  })),
  {
    files: ['src/lengths/**/*.ts'],
    rules: roomRule([
      vscode('lengths serves the CLI too.'),
      forbid(
        ['**/gpu/**', '**/jobs/**', '**/remote/**', '**/world/**', '**/profile/**'],
        'lengths sees core, and how embed reads texts and tokenises them; folders and places are handed to it.',
      ),
      editorRooms,
      noCli,
    ]),
  },
  {
    files: ['src/tasks/**/*.ts'],
    rules: roomRule([
      forbid(
        [
          '**/gpu/**',
          '**/editor/**',
          '**/panel/**',
          '**/agent/**',
          '**/embed/**',
          '**/profile/**',
          '**/world/**',
        ],
        'the tasks room sees core, jobs and host only; the rest is handed to it by extension.ts.',
      ),
      noCli,
    ]),
  },
  {
    files: ['src/embed/**/*.ts'],
    rules: roomRule([
      vscode('embed serves the CLI, and runs where there is no editor.'),
      forbid(
        ['**/gpu/**', '**/jobs/**', '**/remote/**', '**/world/**', '**/profile/**'],
        'embed sees core only; folders and places are handed to it.',
      ),
      editorRooms,
      noCli,
    ]),
  },
  { files: ['src/cli/**/*.ts'], rules: roomRule([vscode('the CLI runs without an editor.'), editorRooms]) },
  {
    files: ['src/host/**/*.ts'],
    rules: roomRule([
      forbid(
        ['**/gpu/**', '**/jobs/**', '**/editor/**', '**/panel/**', '**/tasks/**', '**/agent/**'],
        'host helps the rooms; it does not know them.',
      ),
      noCli,
    ]),
  },
  {
    files: ['src/editor/**/*.ts'],
    rules: roomRule([
      forbid(
        ['**/gpu/**', '**/jobs/**', '**/tasks/**', '**/panel/**', '**/agent/**', 'node:*'],
        'the editor room sees core and host only; the rest is handed to it by extension.ts.',
      ),
      noCli,
    ]),
  },
  {
    files: ['src/panel/**/*.ts'],
    rules: roomRule([
      forbid(
        ['**/editor/**', '**/tasks/**', '**/agent/**'],
        'the panel room sees core, remote, gpu, jobs and host only.',
      ),
      noCli,
    ]),
  },
  { files: ['src/extension.ts'], rules: roomRule([noCli]) },
  {
    // Build, scripts and test tools: plain Node programs.
    files: ['**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(nodeGlobals.map(name => [name, 'readonly'])),
    },
    rules: {
      'no-undef': 'error',
      'no-unused-vars': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 15],
      eqeqeq: 'error',
      curly: ['error', 'multi-line'],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      'max-lines-per-function': 'off',
    },
  },
);
