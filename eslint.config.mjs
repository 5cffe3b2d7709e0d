// The lint rules: which room may import which (src/rooms.json), and style that a formatter cannot check.
import tseslint from 'typescript-eslint';
import { readRooms, roomsRule } from './scripts/lib/rooms.mjs';

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

/**
 * The first that has a file says what its types are. As programs that are made once: the service that editors use takes
 * a third more.
 */
const PROJECTS = ['src/core/tsconfig.json', 'tsconfig.json', 'webview/tsconfig.json'];

export default tseslint.config(
  { ignores: ['dist', 'out', 'node_modules', 'test/fixtures', 'media', 'test/host/pkg/stubs'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'webview/**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: PROJECTS, tsconfigRootDir: import.meta.dirname } },
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
      // A tenth of the time, for what is not there: no file has an enum of ours.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
    },
  },
  {
    files: ['src/**/*.ts', 'webview/**/*.ts'],
    plugins: { headroom: { rules: { rooms: roomsRule } } },
    rules: { 'headroom/rooms': ['error', readRooms(import.meta.dirname)] },
  },
  {
    files: ['src/core/**/*.ts'],
    rules: {
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
    // Files of other kinds as modules have only a default export.
    files: ['src/**/*.d.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off', 'no-restricted-exports': 'off' },
  },
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
      // A sixth of the time; stand-ins for classes are what tests are made of.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'max-lines-per-function': 'off',
    },
  },
);
